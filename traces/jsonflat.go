package traces

import "bytes"

// maxFlat is the number of members that a flat object may have.
const maxFlat = 16

// flatObject reads a JSON object of plain members: strings of ASCII without
// escapes, numbers and words, at most maxFlat of them, no name twice. It calls f
// with each name, its quotes off, and its value as it stands. It reports false,
// perhaps after some calls, for anything else, valid or not: what is wrong there
// is for a jsontext.Decoder to say, which takes twice the time.
func flatObject(b []byte, f func(name, value []byte)) bool {
	var names [maxFlat][]byte
	b = bytes.TrimSpace(b)
	if len(b) < 2 || b[0] != '{' || b[len(b)-1] != '}' {
		return false
	}
	i := skipSpace(b, 1)
	if i == len(b)-1 {
		return true
	}
	for n := 0; ; n++ {
		end := flatString(b, i)
		if end < 0 || n == maxFlat {
			return false
		}
		name := b[i+1 : end-1]
		for _, earlier := range names[:n] {
			if bytes.Equal(earlier, name) {
				return false
			}
		}
		names[n] = name
		if i = skipSpace(b, end); i == len(b) || b[i] != ':' {
			return false
		}
		i = skipSpace(b, i+1)
		if end = flatValue(b, i); end < 0 {
			return false
		}
		f(name, b[i:end])
		switch i = skipSpace(b, end); {
		case i == len(b):
			return false
		case b[i] == '}':
			return i == len(b)-1
		case b[i] != ',':
			return false
		}
		i = skipSpace(b, i+1)
	}
}

// skipSpace is the first place from i on that is not white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// flatValue is the end of the plain value at i, or −1.
func flatValue(b []byte, i int) int {
	if i == len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return flatString(b, i)
	case 't', 'f', 'n':
		for _, word := range [...]string{"true", "false", "null"} {
			if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
				return i + len(word)
			}
		}
		return -1
	}
	return flatNumber(b, i)
}

// flatString is the end of the string at i, quotes included, or −1.
func flatString(b []byte, i int) int {
	if i == len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\' || c < ' ' || c > '~':
			return -1
		}
	}
	return -1
}

// flatNumber is the end of the number at i, or −1.
func flatNumber(b []byte, i int) int {
	digits := func() bool {
		from := i
		for i < len(b) && b[i]-'0' < 10 {
			i++
		}
		return i > from
	}
	is := func(c byte) bool {
		if i < len(b) && b[i] == c {
			i++
			return true
		}
		return false
	}
	is('-')
	if !is('0') && !digits() {
		return -1
	}
	if is('.') && !digits() {
		return -1
	}
	if is('e') || is('E') {
		if !is('+') {
			is('-')
		}
		if !digits() {
			return -1
		}
	}
	return i
}

// flatField is a plain value as a field of text, as jsonField has it.
func flatField(value []byte) []byte {
	switch {
	case value[0] == '"':
		return value[1 : len(value)-1]
	case value[0] == 'n':
		return nil
	}
	return value
}
