package traces

import (
	"cmp"
	"fmt"
	"slices"

	"berth/sim"
)

// lookahead hands on rows that are nearly in the order of submission: it holds
// a window of them in memory, and sorts it where the file was out of order.
type lookahead struct {
	rows rows
	in   *input
	ring jobRing
	size int      // jobs held at most; half of it is looked ahead at least
	last sim.Time // submission of the job last handed on
	gone bool     // a job was handed on
	end  bool
}

const lookaheadSize = 1 << 16

func newLookahead(r rows, in *input) *lookahead {
	return &lookahead{rows: r, in: in, size: lookaheadSize}
}

func (l *lookahead) next(j *sim.Job) (bool, error) {
	if !l.end && l.ring.len() <= l.size/2 {
		if err := l.fill(); err != nil {
			return false, err
		}
	}
	if l.ring.len() == 0 {
		return false, nil
	}
	*j = *l.ring.at(l.ring.head)
	l.ring.head++
	l.last, l.gone = j.Submit, true
	return true, nil
}

// fill reads until the window is full, and puts it in order.
func (l *lookahead) fill() error {
	r, sorted := &l.ring, true
	for r.len() < l.size {
		j := r.at(r.tail)
		ok, err := l.rows.next(j)
		if err != nil || !ok {
			l.end = true
			if err != nil {
				return err
			}
			break
		}
		if r.len() > 0 && j.Submit < r.at(r.tail-1).Submit {
			sorted = false
			l.in.quirk(&quirkUnsorted)
		}
		if l.gone && j.Submit < l.last {
			if err := l.tooLate(j); err != nil {
				return err
			}
			continue
		}
		r.tail++
	}
	if !sorted {
		r.sort()
	}
	return nil
}

// tooLate deals with a row that belongs before jobs that are already gone.
func (l *lookahead) tooLate(j *sim.Job) error {
	l.in.accepted--
	if l.in.opts.KeepGoing {
		l.in.reject(&rejectOrder, j.ID, fmt.Sprintf("submitted %v before", l.last-j.Submit))
		return nil
	}
	return &InputError{File: l.in.name, Line: l.in.line, Msg: fmt.Sprintf(
		"submitted %v before a job more than %d rows above; accepted are rows nearly in the order of submission, any order with %s",
		l.last-j.Submit, l.size/2, l.in.opts.remedies("{sort}"))}
}

func (l *lookahead) close() error {
	l.ring, l.end = jobRing{}, true
	return nil
}

// jobRing is a queue of at most lookaheadSize jobs, head to tail, in chunks
// that are allocated when first reached and then reused.
type jobRing struct {
	chunks     [lookaheadSize / ringChunk][]sim.Job
	head, tail int
}

const ringChunk = 1 << 10

func (r *jobRing) len() int { return r.tail - r.head }

// at is the slot of the i-th job since the beginning.
func (r *jobRing) at(i int) *sim.Job {
	c := &r.chunks[i/ringChunk%len(r.chunks)]
	if *c == nil {
		*c = make([]sim.Job, ringChunk)
	}
	return &(*c)[i%ringChunk]
}

func (r *jobRing) sort() {
	jobs := make([]sim.Job, 0, r.len())
	for i := r.head; i < r.tail; i++ {
		jobs = append(jobs, *r.at(i))
	}
	slices.SortStableFunc(jobs, func(a, b sim.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	for i, j := range jobs {
		*r.at(r.head + i) = j
	}
}
