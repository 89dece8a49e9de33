package workloads

import "embed"

//go:embed studies/*.toml
var studies embed.FS

// HorizonStudy is the TOML text of the end-of-horizon study, and the name
// under which errors speak of it.
func HorizonStudy() (text []byte, file string, err error) {
	file = "studies/horizon.toml"
	text, err = studies.ReadFile(file)
	return text, file, err
}
