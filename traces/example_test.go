package traces_test

import (
	"fmt"
	"os"

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

func ExampleOpenCluster() {
	cluster, err := traces.OpenCluster("testdata/openb_nodes.csv", traces.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range cluster.Topology.Pools() {
		fmt.Printf("%d GPUs %s, %d a node with %d CPUs\n", p.GPUs, p.SKU.Name, p.GPUsPerNode, p.CPUMilli/1000)
	}
	// Output:
	// 4 GPUs P100, 2 a node with 64 CPUs
	// 8 GPUs V100M32, 8 a node with 96 CPUs
	// 2 GPUs P100, 2 a node with 64 CPUs
}

func ExampleNewWriter() {
	trace, err := traces.Open("testdata/openb_pods.csv", traces.Options{CPUOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trace.Close()
	until, _ := traces.ParseInstant("65s", nil)
	part, _ := traces.Filter{Until: until}.Apply(trace)
	w, _ := traces.NewWriter(os.Stdout, "berth", traces.About{})
	var j sim.Job
	for {
		ok, err := part.Next(&j)
		if err != nil || !ok {
			break
		}
		w.Write(&j)
	}
	w.Close()
	// Output:
	// job_id,name,kind,tenant,priority,submit,earliest,min_gpus,max_gpus,parallel,duration,estimate,across,gpu_milli,cpu_milli,memory_mib,models
	// 2,pod-1,generic,BE,1,50,0,1,1,0,90,90,true,460,6000,12288,V100M16|V100M32
	// 3,pod-2,generic,LS,1,60,0,0,0,0,29,29,true,0,8000,1024,
}
