package main

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"berth/sim/experiment"
)

func newMan() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "man -o DIR",
		Short: "Write the manual pages",
		Long: `man writes a manual page for each command to a folder: berth.1, berth-run.1 and
so on. 'man -l DIR/berth.1' shows one; a folder of the MANPATH named man1 makes
them known.`,
		Example: "  berth man -o ~/.local/share/man/man1",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return usage(fmt.Errorf("man needs -o DIR"))
			}
			dir, err := experiment.OpenDir(out)
			if err != nil {
				return err
			}
			return writeManual(dir, newRoot())
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "output folder")
	return cmd
}

// writeManual writes the pages of a command and all below it.
func writeManual(dir *experiment.Dir, cmd *cobra.Command) error {
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := writeManual(dir, sub); err != nil {
			return err
		}
	}
	if f := cmd.Flags().Lookup("data"); f != nil {
		f.DefValue = "$BERTH_DATA" // of whoever reads the page
	}
	cmd.DisableAutoGenTag = true
	cmd.Long = markdown(cmp.Or(cmd.Long, cmd.Short+"."))
	if !cmd.HasParent() {
		cmd.Long += "\n" + exitStatuses()
	}
	var page bytes.Buffer
	date := built()
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	header := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "berth " + version(), Manual: "berth", Date: &date}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return err
	}
	return dir.WriteFile(name+".1", page.Bytes())
}

// markdown is the text of a help as the pages' generator reads it: what is
// indented stays as it is.
func markdown(help string) string {
	var b strings.Builder
	verbatim := false
	for line := range strings.Lines(help) {
		if indented := strings.HasPrefix(line, "  "); indented != verbatim {
			verbatim = indented
			b.WriteString("\n")
		}
		if verbatim {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String() + "\n"
}

func exitStatuses() string {
	var b strings.Builder
	b.WriteString("\n# EXIT STATUS\n")
	for status, meaning := range statuses {
		fmt.Fprintf(&b, "\n**%d**: %s\n", status, meaning)
	}
	return b.String()
}

// built is when the commit was made that the program was built from.
func built() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return at
			}
		}
	}
	return time.Unix(0, 0).UTC()
}
