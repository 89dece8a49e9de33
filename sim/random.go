package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Stream is the random stream of one subsystem: a PCG generator derived from
// the run's seed and the subsystem's name. Streams of different names are
// independent, so adding a draw in one place moves no number elsewhere.
func Stream(seed uint64, name string) *rand.Rand {
	h := sha256.New()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	h.Write(b[:])
	h.Write([]byte(name))
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}
