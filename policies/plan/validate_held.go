package plan

import (
	"fmt"
	"slices"
	"sort"

	"berth/sim/hardware"
)

// holding is one range that a job or service has when the plan starts.
type holding struct {
	hardware.Range
	who string
}

// validateInheritance reports a GPU that two holders claim when the plan
// starts.
func (p *Problem) validateInheritance() error {
	var all []holding
	for i := range p.Jobs {
		for _, r := range p.Jobs[i].Held {
			all = append(all, holding{r, fmt.Sprintf("job %q", p.Jobs[i].ID)})
		}
	}
	for i := range p.Services {
		for _, r := range p.Services[i].Held {
			all = append(all, holding{r, fmt.Sprintf("service %q", p.Services[i].ID)})
		}
	}
	slices.SortStableFunc(all, func(a, b holding) int { return a.First - b.First })
	for i := 1; i < len(all); i++ {
		if a, b := all[i-1], all[i]; b.First < a.End() {
			return fmt.Errorf("plan: %s and %s both hold GPU %d when the plan starts; one holder a GPU is accepted", a.who, b.who, b.First)
		}
	}
	return nil
}

// rangesFault says why rs is not an ascending list of disjoint ranges inside
// a cluster of so many GPUs, or returns nil.
func rangesFault(rs []hardware.Range, gpus int) error {
	next := 0
	for _, r := range rs {
		switch {
		case r.N < 1:
			return fmt.Errorf("a range of %d GPUs at GPU %d; at least 1 is needed", r.N, r.First)
		case r.First < 0 || r.First > gpus || r.N > gpus-r.First:
			return fmt.Errorf("GPUs %s are outside the cluster; accepted are 0 … %d", formatRange(r), gpus-1)
		case r.First < next:
			return fmt.Errorf("GPUs %s follow GPU %d; ranges must ascend and not overlap", formatRange(r), next-1)
		}
		next = r.End()
	}
	return nil
}

func formatRange(r hardware.Range) string { return hardware.FormatRanges([]hardware.Range{r}) }

// blockFault says why the GPUs break the block rule for the job, or "". The
// ranges must have passed rangesFault.
func (p *Problem) blockFault(j *Job, gpus []hardware.Range) string {
	if p.Alignment == hardware.Scattered {
		return ""
	}
	if len(gpus) != 1 {
		return fmt.Sprintf("%d ranges; a %s job holds one block", len(gpus), p.Alignment)
	}
	b := gpus[0]
	switch {
	case b.N&(b.N-1) != 0:
		return fmt.Sprintf("a block of %d GPUs; the size must be a power of two", b.N)
	case p.Alignment == hardware.Buddy && b.First%b.N != 0:
		return fmt.Sprintf("a buddy block of %d GPUs starts at GPU %d; it must start at a multiple of its size", b.N, b.First)
	case !j.Across && !p.insideDomain(b):
		return fmt.Sprintf("GPUs %s span link domains; the job must stay inside one", formatRange(b))
	}
	return ""
}

// insideDomain reports whether one link domain contains the block.
func (p *Problem) insideDomain(b hardware.Range) bool {
	if p.Domains == nil {
		return true
	}
	i := sort.Search(len(p.Domains), func(i int) bool { return p.Domains[i].End() > b.First })
	return i < len(p.Domains) && b.End() <= p.Domains[i].End()
}
