package hardware

import "fmt"

// Whole is a whole GPU in the unit of shares, thousandths of a GPU.
const Whole = 1000

// shares knows who holds which thousandths of the GPUs in part use. The shares
// of a GPU are a list through entries; those given back are kept for later.
// Nothing is there until the first share is taken.
type shares struct {
	left    []int16 // GPU → thousandths left, where it is in part use
	head    []int32 // GPU → its first entry, counted from 1; 0 means none
	entries []share
	spare   int32 // first entry not in use, as head
	gpus    int   // in part use
	held    int   // thousandths, on all GPUs
}

type share struct {
	holder Holder
	milli  int32
	next   int32 // as head
}

// Left is the thousandths of GPU g that nobody holds: Whole when it is free, 0
// when it has a holder of its own.
func (c *Cluster) Left(g int) int {
	switch c.holder[g] {
	case Nobody:
		return Whole
	case Shared:
		return int(c.shares.left[g])
	}
	return 0
}

// InShares is what is held of the GPUs in part use and what is left of them,
// in thousandths of a GPU.
func (c *Cluster) InShares() (held, left int) {
	return c.shares.held, Whole*c.shares.gpus - c.shares.held
}

// TakeShare gives thousandths of GPU g to h, who may hold others of it. It
// fails, and changes nothing, unless 1 to Whole−1 are asked and as many left.
func (c *Cluster) TakeShare(h Holder, g, milli int) error {
	switch {
	case h == Nobody || h == Shared || !c.exists(Range{g, 1}):
		return c.refusal("take a share of", h, Range{g, 1}, Nobody)
	case milli < 1 || milli >= Whole:
		return fmt.Errorf("hardware: holder %d asks for %d thousandths of GPU %d; 1 to %d are accepted", h, milli, g, Whole-1)
	case c.Left(g) < milli:
		return fmt.Errorf("hardware: holder %d asks for %d thousandths of GPU %d, of which %d are left", h, milli, g, c.Left(g))
	}
	s := &c.shares
	if s.head == nil {
		s.left, s.head = make([]int16, len(c.holder)), make([]int32, len(c.holder))
	}
	if c.holder[g] == Nobody {
		c.set(Shared, Range{g, 1})
		c.free--
		s.left[g] = Whole
		s.gpus++
	} else {
		c.rooms.version[c.topology.nodeOf[g]]++
	}
	s.left[g] -= int16(milli)
	s.held += milli
	s.add(h, g, milli)
	return nil
}

// ReleaseShare gives back a share that h took of GPU g. It fails, and changes
// nothing, when h holds no share of that size there.
func (c *Cluster) ReleaseShare(h Holder, g, milli int) error {
	if !c.exists(Range{g, 1}) || c.holder[g] != Shared || !c.shares.remove(h, g, milli) {
		return fmt.Errorf("hardware: holder %d holds no share of %d thousandths of GPU %d", h, milli, g)
	}
	s := &c.shares
	s.left[g] += int16(milli)
	s.held -= milli
	if s.left[g] < Whole {
		c.rooms.version[c.topology.nodeOf[g]]++
		return nil
	}
	s.gpus--
	c.free++
	c.set(Nobody, Range{g, 1})
	return nil
}

func (s *shares) add(h Holder, g, milli int) {
	at := s.spare
	if at == 0 {
		s.entries = append(s.entries, share{})
		at = int32(len(s.entries))
	}
	e := &s.entries[at-1]
	s.spare = e.next
	*e = share{h, int32(milli), s.head[g]}
	s.head[g] = at
}

func (s *shares) remove(h Holder, g, milli int) bool {
	for at := &s.head[g]; *at != 0; at = &s.entries[*at-1].next {
		e := &s.entries[*at-1]
		if e.holder != h || e.milli != int32(milli) {
			continue
		}
		freed := *at
		*at = e.next
		*e = share{next: s.spare}
		s.spare = freed
		return true
	}
	return false
}

func (s *shares) copyFrom(o *shares) {
	s.entries, s.spare, s.gpus, s.held = append(s.entries[:0], o.entries...), o.spare, o.gpus, o.held
	s.left, s.head = append(s.left[:0], o.left...), append(s.head[:0], o.head...)
	if o.head == nil {
		s.left, s.head = nil, nil
	}
}
