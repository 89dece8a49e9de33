package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"berth/sim/config"
)

// manifest says what a result was made from.
type manifest struct {
	Version       string            `json:"version"`
	Configuration any               `json:"configuration"` // under the keys of a TOML file
	ConfigHash    string            `json:"configuration_hash"`
	Policies      []string          `json:"policies"`
	Seeds         []uint64          `json:"seeds"`
	Inputs        map[string]string `json:"inputs"` // file → checksum
}

func (in *input) manifest(policies []string, seeds []uint64) (*manifest, error) {
	if err := in.sum(); err != nil {
		return nil, err
	}
	configuration := config.Tree(in.file)
	text, err := json.Marshal(configuration)
	if err != nil {
		return nil, err
	}
	return &manifest{
		Version: version(), Configuration: configuration, ConfigHash: checksum(text),
		Policies: policies, Seeds: seeds, Inputs: in.checksums,
	}, nil
}

// version is the module's version, or the commit that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v += "-" + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return v
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "berth", version())
			return err
		},
	}
}
