package traces_test

import (
	"fmt"

	"berth/sim"
	"berth/traces"
)

// A log is replayed on the machine that its header names.
func ExampleOpen() {
	trace, err := traces.Open("testdata/quirks.swf", traces.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trace.Close()
	trace.SetMaxGPUs(trace.Machine())
	var job sim.Job
	for {
		ok, err := trace.Next(&job)
		if err != nil {
			fmt.Println(err)
			return
		}
		if !ok {
			break
		}
		fmt.Printf("job %s of user %q at %v: %d GPUs for %v\n", job.Label(), job.Tenant, job.Submit, job.MinGPUs, job.Duration)
	}
	r := trace.Report()
	fmt.Printf("%d of %d rows rejected, the first for: %s\n", r.Rejected, r.Rows, r.Rejects[0].What)
	// Output:
	// job 1 of user "7" at 0s: 4 GPUs for 10s
	// job 4 of user "" at 5s: 2 GPUs for 30s
	// job 9 of user "8" at 8s: 1 GPUs for 30s
	// job 8 of user "8" at 9s: 1 GPUs for 30s
	// job 9@21 of user "8" at 9s: 1 GPUs for 40s
	// 5 of 10 rows rejected, the first for: larger than the machine
}
