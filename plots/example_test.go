package plots_test

import (
	"fmt"
	"os"

	"berth/plots"
)

func ExampleByPolicy() {
	f, err := plots.ByPolicy("utilization", "%", []plots.Estimate{
		{Label: "fifo", Mean: 0.516, Half: 0.006},
		{Label: "horizon", Mean: 0.784, Half: 0.009},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	paths, err := f.Save(dir, "utilization", "svg", "pdf")
	fmt.Println(len(paths), "files", err)
	// Output: 2 files <nil>
}
