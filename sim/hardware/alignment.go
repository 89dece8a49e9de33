package hardware

import "fmt"

// Alignment is where a job's GPUs may lie.
type Alignment uint8

const (
	// Contiguous: one block of neighbouring GPUs, any start.
	Contiguous Alignment = iota
	// Buddy: one block that starts at a multiple of its size.
	Buddy
	// Scattered: any free GPUs, as in batch logs that record counts only.
	Scattered
)

var alignmentNames = [...]string{"contiguous", "buddy", "scattered"}

func (a Alignment) String() string {
	if int(a) >= len(alignmentNames) {
		return fmt.Sprintf("Alignment(%d)", uint8(a))
	}
	return alignmentNames[a]
}

// MarshalText makes Alignment usable in TOML and JSON, with UnmarshalText.
func (a Alignment) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText accepts "contiguous", "buddy" and "scattered".
func (a *Alignment) UnmarshalText(text []byte) error {
	for i, name := range alignmentNames {
		if name == string(text) {
			*a = Alignment(i)
			return nil
		}
	}
	return fmt.Errorf("alignment %q is unknown; accepted are contiguous, buddy, scattered", text)
}
