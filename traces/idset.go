package traces

// idSet remembers job numbers in a bounded bitmap: dense numbers, as logs have
// them, cost a bit each. It holds at most 32 MiB.
type idSet struct {
	pages    map[int64]*idPage
	page     *idPage // the page of the last number
	key      int64
	overflow bool // some numbers were not remembered
}

type idPage [64]uint64

const maxIDPages = 1 << 16

// add says whether a number, ≥ 0, was there already.
func (s *idSet) add(id int64) bool {
	if key := id >> 12; s.page == nil || key != s.key {
		page := s.pages[key]
		if page == nil {
			if len(s.pages) == maxIDPages {
				s.overflow = true
				return false
			}
			if s.pages == nil {
				s.pages = map[int64]*idPage{}
			}
			page = new(idPage)
			s.pages[key] = page
		}
		s.page, s.key = page, key
	}
	word, bit := &s.page[id>>6&63], uint64(1)<<(id&63)
	seen := *word&bit != 0
	*word |= bit
	return seen
}
