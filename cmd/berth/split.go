package main

import "strings"

// splitOutside cuts text at separators that do not stand in quotes, as TOML
// writes them: "…" with backslashes, or '…'.
func splitOutside(text, separators string) []string {
	var parts []string
	quote, escaped, from := rune(0), false, 0
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
		case quote == '"' && r == '\\':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case strings.ContainsRune(separators, r):
			parts = append(parts, text[from:i])
			from = i + 1 // separators are ASCII
		}
	}
	return append(parts, text[from:])
}

// splitList splits a list in a flag at commas and blanks, and drops empty
// parts.
func splitList(text string) []string {
	var list []string
	for _, part := range splitOutside(text, ", ") {
		if part != "" {
			list = append(list, part)
		}
	}
	return list
}

// shorten cuts the middle out of a text of more than so many letters.
func shorten(text string, most int) string {
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	head := (most - 1) / 2
	return string(letters[:head]) + "…" + string(letters[len(letters)-(most-1-head):])
}
