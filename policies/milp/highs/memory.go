package highs

import (
	"encoding/binary"
	"fmt"
	"math"
)

// arena lends memory of an instance and gives it back all at once.
type arena struct {
	in    *instance
	taken []uint32
}

// take lends n bytes; at least one, so that every address is real.
func (a *arena) take(n int) uint32 {
	p := uint32(a.in.call("malloc", uint64(uint32(max(n, 1)))))
	if p == 0 && a.in.err == nil {
		a.in.err = fmt.Errorf("solver highs: out of memory for %d bytes", n)
	}
	if p != 0 {
		a.taken = append(a.taken, p)
	}
	return p
}

func (a *arena) free() {
	for _, p := range a.taken {
		a.in.call("free", uint64(p))
	}
	a.taken = nil
}

func (a *arena) put(data []byte) uint64 {
	p := a.take(len(data))
	if a.in.err == nil && !a.in.module.Memory().Write(p, data) {
		a.in.err = fmt.Errorf("solver highs: %d bytes do not fit its memory", len(data))
	}
	return uint64(p)
}

func (a *arena) floats(x []float64) uint64 {
	data := make([]byte, 0, 8*len(x))
	for _, v := range x {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return a.put(data)
}

func (a *arena) ints(x []int32) uint64 {
	data := make([]byte, 0, 4*len(x))
	for _, v := range x {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return a.put(data)
}

func (a *arena) text(s string) uint64 { return a.put(append([]byte(s), 0)) }

// readFloats reads n numbers.
func (in *instance) readFloats(p uint32, n int) []float64 {
	if in.err != nil {
		return nil
	}
	data, ok := in.module.Memory().Read(p, uint32(8*n))
	if !ok {
		in.err = fmt.Errorf("solver highs: %d numbers at %d lie outside its memory", n, p)
		return nil
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return x
}

func (in *instance) readInt64(p uint32) int64 {
	if in.err != nil {
		return 0
	}
	v, ok := in.module.Memory().ReadUint64Le(p)
	if !ok {
		in.err = fmt.Errorf("solver highs: a number at %d lies outside its memory", p)
	}
	return int64(v)
}
