// Package names makes text from outside (names of jobs, tenants, services,
// policies, files) fit to be shown: on a terminal, in a table, in a figure.
package names

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible is a text as it may be shown. One of printable characters and spaces
// is itself; any other is quoted as in Go, so that control characters, escape
// sequences, marks of direction and broken UTF-8 are seen and not obeyed.
func Visible(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	return strconv.Quote(text)
}

// hidden reports a character that does not show as itself.
func hidden(r rune) bool { return !unicode.IsPrint(r) }
