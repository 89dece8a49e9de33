package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"berth/plots"
	"berth/sim/config"
	"berth/sim/experiment"
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
	for _, policy := range policies {
		if err := in.sumProgram(policy, seeds); err != nil {
			return nil, err
		}
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

// sumProgram adds the checksums of the files that decide in the policy exec.
func (in *input) sumProgram(policy string, seeds []uint64) error {
	name, c, err := in.policy(policy)
	if err != nil {
		return err
	}
	for _, seed := range seeds {
		c.Seed = seed
		for _, path := range programFiles(name, c) {
			sum, err := fileSum(path)
			if err != nil {
				return err
			}
			in.keepSum(path, sum)
		}
	}
	return nil
}

// The files of a run and of a comparison, which share manifest.json and the
// figures.
var (
	runFiles     = []string{"summary.json", "jobs.csv", "services.csv", "timeline.csv", "outlook.csv"}
	compareFiles = []string{"comparison.json", "runs.csv"}
	shownFigures = []string{"allocation", "utilization", "value", "queue", "delays", "policies"}
)

// clearEarlier removes what an earlier result left in the folder and this one
// does not write, since the manifest would not be true of it: the files named,
// and all figures.
func clearEarlier(dir *experiment.Dir, files ...string) error {
	for _, name := range shownFigures {
		for _, format := range plots.Formats() {
			files = append(files, filepath.Join("figures", name+"."+format))
		}
	}
	return dir.Remove(files...)
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
