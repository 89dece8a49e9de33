package sim

// class is what an event is; within one instant the lower class goes first.
type class uint8

const (
	release class = iota
	arrival
	demand
	timer
)

// event is something that happens at an instant. It is a plain value: the
// queue holds no pointers for the garbage collector to follow.
type event struct {
	at  Time
	key uint64 // class in the top byte, sequence number below: ties break by it
	ref uint32 // slot of the job, or index of the service
	gen uint32 // a release is void when the slot has moved on to another generation
}

func (e *event) class() class { return class(e.key >> 56) }

func (e *event) before(o *event) bool {
	return e.at < o.at || (e.at == o.at && e.key < o.key)
}

// eventQueue is a priority queue with a total order: time, class, sequence of
// pushing. It is an implicit 4-ary heap, which is half as deep as a binary one
// and keeps the children of a node in at most two cache lines.
type eventQueue struct {
	heap []event
	seq  uint64
}

func (q *eventQueue) empty() bool { return len(q.heap) == 0 }

// min is the next event; the queue must not be empty.
func (q *eventQueue) min() *event { return &q.heap[0] }

func (q *eventQueue) push(at Time, c class, ref, gen uint32) {
	e := event{at: at, key: uint64(c)<<56 | q.seq, ref: ref, gen: gen}
	q.seq++
	q.heap = append(q.heap, e)
	i := len(q.heap) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&q.heap[parent]) {
			break
		}
		q.heap[i] = q.heap[parent]
		i = parent
	}
	q.heap[i] = e
}

// pop removes and returns the next event; the queue must not be empty.
func (q *eventQueue) pop() event {
	h := q.heap
	top := h[0]
	n := len(h) - 1
	last := h[n]
	h = h[:n]
	q.heap = h
	if n == 0 {
		return top
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, n); c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return top
}
