package hardware

import "strings"

// Request is what a job asks of its nodes beside a number of GPUs. The zero
// value asks for nothing: whole GPUs of any model, and no CPU or memory that
// anyone counts.
type Request struct {
	// GPUMilli is the share of each of its GPUs in thousandths, 1 … 1000; 0
	// means 1000, the whole GPU. Only a job on one GPU may ask for less than a
	// whole one.
	GPUMilli  int
	CPUMilli  int    // CPUs of the whole job, in thousandths of one
	MemoryMiB int    // memory of the whole job
	Models    Models // models of GPU that it accepts
}

// Share is the thousandths of each GPU that are asked, Whole when none are
// named.
func (q *Request) Share() int {
	if q.GPUMilli == 0 {
		return Whole
	}
	return q.GPUMilli
}

// Models is a set of GPU models, as names of SKUs separated by "|". The empty
// set stands for every model.
type Models string

// Accepts reports whether a model is in the set.
func (m Models) Accepts(name string) bool {
	if m == "" {
		return true
	}
	for model := range strings.SplitSeq(string(m), "|") {
		if model == name {
			return true
		}
	}
	return false
}
