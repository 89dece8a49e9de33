package traces

import "berth/sim"

func init() {
	register(Format{
		Name:        "acme",
		Description: "Acme (Shanghai AI Laboratory 2023: Seren, Kalos) job trace as CSV",
		Times:       "calendar with offset; time 0 is the first submission",
		sniff: func(head []byte) bool {
			return hasColumns(head, append(slurmColumns, "type", "gpu_time")...)
		},
		open: func(in *input) (rows, error) { return openSlurm(in, "user") },
	})
}

// acmeKind is the kind of a workload type of Acme: what trains is Training,
// evaluation is BatchInference, the rest Generic.
func acmeKind(word []byte) sim.Kind {
	switch string(word) {
	case "Pretrain", "SFT", "RLHF", "MLLM", "AlgoTrain":
		return sim.Training
	case "Evaluation", "Eval":
		return sim.BatchInference
	}
	return sim.Generic
}
