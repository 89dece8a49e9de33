package placement

import (
	"berth/sim"
)

// memo keeps the scores of all nodes for each shape of job, and the version of
// the node that each was given for: between two jobs of a shape only the nodes
// that changed are scored again.
type memo struct {
	of     map[Shape]int32
	tables []table
}

// table is the scores for one shape, in the order of ties.
type table struct {
	version []uint32
	score   []int8 // noRoom where the job does not fit
}

const noRoom = -1

// maxScores bounds a memo: 5 bytes each.
const maxScores = 1 << 23

func (m *memo) reset() {
	m.of = map[Shape]int32{}
	m.tables = m.tables[:0]
}

// table is the scores for a shape; fresh reports that they are yet to be given.
func (m *memo) table(s *Shape, nodes int) (t *table, fresh bool) {
	if i, ok := m.of[*s]; ok {
		return &m.tables[i], false
	}
	if (len(m.tables)+1)*nodes > maxScores {
		m.reset()
	}
	i := len(m.tables)
	m.of[*s] = int32(i)
	if i < cap(m.tables) {
		m.tables = m.tables[:i+1]
	} else {
		m.tables = append(m.tables, table{})
	}
	if t = &m.tables[i]; t.score == nil {
		t.version, t.score = make([]uint32, nodes), make([]int8, nodes)
	}
	return t, true
}

// best is the node with the highest score among those not masked, or −1 when
// none has room.
func (p *Placement) best(r *sim.Round, s *Shape, masked func(n int) bool) int {
	t, fresh := p.memo.table(s, len(p.order))
	best, top, ties := -1, noRoom, 0
	versions := r.Cluster().Versions()
	for k, i := range p.order {
		if v := versions[i]; fresh || t.version[k] != v {
			t.version[k] = v
			t.score[k] = p.score(r, int(i), s)
		}
		score := int(t.score[k])
		if score < top {
			continue
		}
		if masked != nil && score > noRoom && masked(int(i)) {
			continue
		}
		if score > top {
			best, top, ties = int(i), score, 0
		}
		if score == top {
			ties++
		}
	}
	if p.uniform && ties > 1 && top > noRoom {
		return p.draw(t, int8(top), ties, masked)
	}
	return best
}

// draw is one of the nodes of a score, each as likely.
func (p *Placement) draw(t *table, score int8, ties int, masked func(n int) bool) int {
	k := p.random.IntN(ties)
	for at, s := range t.score {
		i := int(p.order[at])
		if s != score || masked != nil && masked(i) {
			continue
		}
		if k == 0 {
			return i
		}
		k--
	}
	return -1
}

// score is what a node is worth to a job now, or noRoom.
func (p *Placement) score(r *sim.Round, node int, s *Shape) int8 {
	r.Cluster().Look(node, &p.node)
	if !p.fits(s, r.Alignment()) {
		return noRoom
	}
	return int8(p.scorer.Score(&p.node, s))
}

// bestMasked is best where some GPUs are masked; as they change with time,
// nothing is kept.
func (p *Placement) bestMasked(r *sim.Round, s *Shape, m Mask) int {
	best, top, ties := -1, noRoom, 0
	for _, i := range p.order {
		p.look(r, int(i), s.GPUs, m)
		if m.Node != nil && m.Node(int(i)) || !p.fits(s, r.Alignment()) {
			continue
		}
		score := p.scorer.Score(&p.node, s)
		if score > top {
			best, top, ties = int(i), score, 0
		}
		if score == top {
			if ties++; p.uniform && p.random.IntN(ties) == 0 {
				best = int(i)
			}
		}
	}
	return best
}
