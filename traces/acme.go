package traces

import (
	"fmt"

	"berth/sim"
)

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

func badCalendar(column string, field []byte) error {
	return fmt.Errorf("%s is %s; accepted are 1970-01-01 00:00:00 to 2095-12-31 23:59:59, with or without an offset as +08:00, or blank", column, quote(field))
}
