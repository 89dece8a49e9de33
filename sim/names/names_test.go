package names_test

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"berth/sim/names"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"mixed-control":     "mixed-control",
		"Zürich 東京 ½ <&>":   "Zürich 東京 ½ <&>",
		"\x1b[31mred":       `"\x1b[31mred"`,
		"two\nlines":        `"two\nlines"`,
		"tab\there":         `"tab\there"`,
		"\u202eright":       `"\u202eright"`,
		"zero\u200bwidth":   `"zero\u200bwidth"`,
		"no-break\u00a0":    `"no-break\u00a0"`,
		"broken \xff UTF-8": `"broken \xff UTF-8"`,
		"c1 \u009b31m":      `"c1 \u009b31m"`,
	} {
		if got := names.Visible(text); got != want {
			t.Errorf("Visible(%q) = %s, want %s", text, got, want)
		}
	}
}

// What is shown is printable, and no two texts are shown alike unless one is
// the other's quotation.
func TestVisibleIsPrintable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		if at := strings.IndexFunc(names.Visible(text), func(r rune) bool { return !unicode.IsPrint(r) }); at >= 0 {
			t.Fatalf("Visible(%q) = %q", text, names.Visible(text))
		}
	})
}
