package plan

import "fmt"

// Boundary says what becomes of work at the end of the horizon.
type Boundary uint8

const (
	Closed  Boundary = iota // a job must end by the horizon
	Open                    // a job may run past it; only steps inside earn
	Salvage                 // as Open, and steps past it earn in part
)

var boundaryNames = [...]string{"closed", "open", "salvage"}

func (b Boundary) String() string {
	if int(b) >= len(boundaryNames) {
		return fmt.Sprintf("boundary(%d)", uint8(b))
	}
	return boundaryNames[b]
}

// MarshalText makes Boundary usable in TOML and JSON.
func (b Boundary) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText accepts "closed", "open" and "salvage".
func (b *Boundary) UnmarshalText(text []byte) error {
	for i, name := range boundaryNames {
		if name == string(text) {
			*b = Boundary(i)
			return nil
		}
	}
	return fmt.Errorf("boundary %q is unknown; accepted are closed, open, salvage", text)
}
