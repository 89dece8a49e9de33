package workloads

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed scenarios/*.toml
var files embed.FS

// names are the embedded scenarios in the order of tables and figures.
var names = []string{
	"mixed-control", "training-heavy", "inference-heavy", "batch-burst",
	"fragmented", "uniform-priority", "scale",
}

// Names lists the embedded scenarios.
func Names() []string { return slices.Clone(names) }

// Source is the TOML text of an embedded scenario, and the name under which
// errors speak of it.
func Source(name string) (text []byte, file string, err error) {
	if !slices.Contains(names, name) {
		return nil, "", fmt.Errorf("scenario %q is unknown; accepted are %s, or a file", name, strings.Join(names, ", "))
	}
	file = "scenarios/" + name + ".toml"
	text, err = files.ReadFile(file)
	return text, file, err
}
