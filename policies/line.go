package policies

import (
	"cmp"
	"math"
	"slices"

	"berth/sim"
)

// line is the waiting jobs in order of arrival, laid out for backfilling: the
// next job that is small or short enough is found without looking at each. It
// serves where GPUs are all alike and no horizon is closed, so that a job needs
// its MinGPUs and leaves by starting only.
type line struct {
	jobs   []*sim.ActiveJob // nil once started
	needs  []need           // the same places
	blocks []need           // the least of each blockSize places, of GPUs and of time apart
	head   int              // the first place that is not empty
	left   int              // jobs
}

// need is what a job asks for, by its estimate.
type need struct {
	gpus int
	time sim.Time
}

const blockSize = 64

var nothing = need{math.MaxInt, sim.Forever}

// add puts a job at the end.
func (l *line) add(j *sim.ActiveJob) {
	if len(l.jobs)%blockSize == 0 {
		l.blocks = append(l.blocks, nothing)
	}
	n := need{j.MinGPUs, j.EstimateOn(j.MinGPUs)}
	l.jobs, l.needs = append(l.jobs, j), append(l.needs, n)
	b := &l.blocks[len(l.blocks)-1]
	b.gpus, b.time = min(b.gpus, n.gpus), min(b.time, n.time)
	l.left++
}

// remove empties a place.
func (l *line) remove(i int) {
	l.jobs[i], l.needs[i] = nil, nothing
	if l.left--; l.left == 0 {
		*l = line{jobs: l.jobs[:0], needs: l.needs[:0], blocks: l.blocks[:0]}
		return
	}
	least := nothing
	from := i / blockSize * blockSize
	for _, n := range l.needs[from:min(from+blockSize, len(l.needs))] {
		least = need{min(least.gpus, n.gpus), min(least.time, n.time)}
	}
	l.blocks[i/blockSize] = least
	for l.head < len(l.jobs) && l.jobs[l.head] == nil {
		l.head++
	}
}

// next is the first place from i on whose job needs at most free GPUs, and
// either at most spare of them or at most some time; or −1.
func (l *line) next(i, free, spare int, time sim.Time) int {
	fits := func(n need) bool { return n.gpus <= free && (n.gpus <= spare || n.time <= time) }
	for i < len(l.needs) {
		if i%blockSize == 0 && !fits(l.blocks[i/blockSize]) {
			i += blockSize
			continue
		}
		if fits(l.needs[i]) {
			return i
		}
		i++
	}
	return -1
}

// tidy closes the gaps when they are many.
func (l *line) tidy() {
	if l.left > len(l.jobs)/2 || len(l.jobs) < 4*blockSize {
		return
	}
	jobs := l.jobs
	*l = line{jobs: l.jobs[:0], needs: l.needs[:0], blocks: l.blocks[:0]}
	for _, j := range jobs {
		if j != nil {
			l.add(j)
		}
	}
	clear(jobs[len(l.jobs):])
}

// ends is the running jobs by the end to be expected.
type ends []ending

type ending struct {
	at   sim.Time
	slot int
	gpus int
}

func endingOf(j *sim.ActiveJob) ending { return ending{j.EstimatedEnd(), j.Slot(), j.Held()} }

func (e ends) find(x ending) (int, bool) {
	return slices.BinarySearchFunc(e, x, func(a, b ending) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.slot, b.slot))
	})
}

func (e *ends) add(j *sim.ActiveJob) {
	x := endingOf(j)
	i, _ := e.find(x)
	*e = slices.Insert(*e, i, x)
}

func (e *ends) remove(j *sim.ActiveJob) {
	if i, ok := e.find(endingOf(j)); ok {
		*e = slices.Delete(*e, i, i+1)
	}
}
