package traces

// names64 remembers names of rows by their 64-bit FNV-1a hashes, to find
// duplicates: at most 1,048,576 of them, in 16 MiB. Two different names share
// a hash once in tens of millions of such files.
type names64 struct {
	slots    []uint64 // open addressing; 0 is empty
	used     int
	overflow bool // some names were not remembered
}

const maxNames = 1 << 20

// add says whether a name was there already.
func (s *names64) add(name []byte) bool {
	if 2*s.used >= len(s.slots) && s.used < maxNames {
		s.grow()
	}
	key := uint64(14695981039346656037)
	for _, c := range name {
		key = (key ^ uint64(c)) * 1099511628211
	}
	key = max(key, 1)
	i := s.find(key)
	if s.slots[i] == key {
		return true
	}
	if s.used == maxNames {
		s.overflow = true
		return false
	}
	s.slots[i] = key
	s.used++
	return false
}

// find is the slot of a key, or the empty one where it belongs.
func (s *names64) find(key uint64) int {
	mask := len(s.slots) - 1
	i := int(key) & mask
	for s.slots[i] != 0 && s.slots[i] != key {
		i = (i + 1) & mask
	}
	return i
}

func (s *names64) grow() {
	old := s.slots
	s.slots = make([]uint64, max(2*len(old), 1024))
	for _, key := range old {
		if key != 0 {
			s.slots[s.find(key)] = key
		}
	}
}
