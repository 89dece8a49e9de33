package policies

import (
	"cmp"
	"slices"
	"time"

	"berth/sim"
)

// Bound is what no run of a workload can surpass until a time, whatever its
// policy knows: value in priority × GPU-hours, less lambda × priority × GPU-hours
// of shortfall, neither decayed. The workload's jobs are read to the end.
//
// It is the optimum of a relaxation. Every job is work that may be cut up and
// interrupted, at most its largest size at a time and not before it is
// eligible; services give and take without swap caps. What demands and jobs get
// in each step is then a flow, and what each can get of it a polymatroid, so
// serving them by falling worth, each as far as the ones before keep theirs,
// is optimal (Edmonds, 1970; Megiddo, 1974).
func Bound(w *sim.Workload, lambda float64, until sim.Time) (float64, error) {
	f := newFlow(w, until)
	bound := 0.0
	for i := range w.Services {
		bound -= f.addService(&w.Services[i], lambda)
	}
	var j sim.Job
	for {
		ok, err := w.Jobs.Next(&j)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		f.addJob(w, &j)
	}
	slices.SortStableFunc(f.sources, func(a, b *source) int { return cmp.Compare(b.worth, a.worth) })
	for i := range f.sources {
		bound += f.sources[i].worth * float64(f.serve(i)) / float64(time.Hour)
	}
	return bound, nil
}

// flow is GPU-time, in GPU-nanoseconds, on its way from sources to steps.
type flow struct {
	step, until sim.Time
	room        []int64 // left in each step
	sources     []*source
}

// source is a job, or the demand of a service in one step.
type source struct {
	worth float64 // of a GPU-hour
	work  int64   // that it can use
	first int     // step of rate[0] and sent[0]
	rate  []int64 // at most, by step
	sent  []int64
}

func newFlow(w *sim.Workload, until sim.Time) *flow {
	f := &flow{step: cmp.Or(w.Step, time.Hour), until: until}
	for at := sim.Time(0); at < until; at += f.step {
		f.room = append(f.room, int64(w.Topology.GPUs())*int64(min(f.step, until-at)))
	}
	return f
}

// addService adds a service's demand, piece by piece, and returns what it costs
// to meet none of it.
func (f *flow) addService(s *sim.Service, lambda float64) float64 {
	cost := 0.0
	for i, level := range s.Demand.Levels {
		begin := sim.Time(i) * s.Demand.Step
		end := min(begin+s.Demand.Step, f.until)
		for begin < end {
			t := int(begin / f.step)
			next := min(sim.Time(t+1)*f.step, end)
			cost += lambda * s.Priority * float64(level) * (next - begin).Hours()
			work := int64(min(level, s.Max)) * int64(next-begin)
			f.sources = append(f.sources, &source{lambda * s.Priority, work, t, []int64{work}, []int64{0}})
			begin = next
		}
	}
	return cost
}

// addJob adds a job that has a size and is eligible in time.
func (f *flow) addJob(w *sim.Workload, j *sim.Job) {
	size, work := int64(0), int64(0)
	for _, n := range j.Sizes(nil, w.Alignment) {
		size, work = max(size, int64(n)), max(work, int64(n)*int64(j.DurationOn(n)))
	}
	if size == 0 || j.Eligible() >= f.until {
		return
	}
	s := &source{worth: j.Priority, work: work, first: int(j.Eligible() / f.step)}
	for t := s.first; t < len(f.room); t++ {
		begin, end := max(sim.Time(t)*f.step, j.Eligible()), min(sim.Time(t+1)*f.step, f.until)
		s.rate = append(s.rate, size*int64(end-begin))
	}
	s.sent = make([]int64, len(s.rate))
	f.sources = append(f.sources, s)
}

// serve sends as much as it can from a source, moving what others send to other
// steps, but leaving them their sums.
func (f *flow) serve(i int) int64 {
	sent, s := int64(0), f.sources[i]
	for sent < s.work {
		got := f.augment(i, s.work-sent)
		if got == 0 {
			break
		}
		sent += got
	}
	return sent
}

// hop is how a step was reached: from a source, which was reached by what it
// sends to an earlier step (−1 for the source that is served).
type hop struct{ source, before int }

// augment finds the shortest way to a step with room, and sends along it.
func (f *flow) augment(from int, most int64) int64 {
	reached := make([]hop, len(f.room))
	for t := range reached {
		reached[t].source = -1
	}
	visited := make([]bool, len(f.sources))
	var queue []int
	visit := func(i, before int) {
		visited[i] = true
		s := f.sources[i]
		for k, rate := range s.rate {
			if t := s.first + k; reached[t].source < 0 && s.sent[k] < rate {
				reached[t] = hop{i, before}
				queue = append(queue, t)
			}
		}
	}
	visit(from, -1)
	for len(queue) > 0 {
		t := queue[0]
		queue = queue[1:]
		if f.room[t] > 0 {
			return f.send(reached, t, most)
		}
		for i := range from { // only sources served before send anything
			s := f.sources[i]
			if k := t - s.first; !visited[i] && k >= 0 && k < len(s.sent) && s.sent[k] > 0 {
				visit(i, t)
			}
		}
	}
	return 0
}

// send moves as much as the way to a step lets through, at most so much.
func (f *flow) send(reached []hop, last int, most int64) int64 {
	amount := min(most, f.room[last])
	for t := last; t >= 0; t = reached[t].before {
		s := f.sources[reached[t].source]
		amount = min(amount, s.rate[t-s.first]-s.sent[t-s.first])
		if b := reached[t].before; b >= 0 {
			amount = min(amount, s.sent[b-s.first])
		}
	}
	f.room[last] -= amount
	for t := last; t >= 0; t = reached[t].before {
		s := f.sources[reached[t].source]
		s.sent[t-s.first] += amount
		if b := reached[t].before; b >= 0 {
			s.sent[b-s.first] -= amount
		}
	}
	return amount
}
