package traces

import (
	"encoding/binary"
	"io"
	"math"

	"berth/sim"
	"berth/sim/hardware"
)

// Bits of the mask that an encoded job begins with, after one for each integer
// that is not 0.
const (
	maskAcross = 1 << (iota + jobInts)
	maskPriority
	maskParallel
	jobInts = 11
)

// appendJob encodes every field of a job, in about 30 bytes: what is 0, as
// most is, takes a bit.
func appendJob(b []byte, j *sim.Job) []byte {
	start := len(b)
	b = append(b, 0, 0)
	mask := uint16(0)
	for i, n := range [jobInts]int64{
		j.ID, int64(j.Kind), int64(j.Submit), int64(j.Earliest), int64(j.MinGPUs),
		int64(j.MaxGPUs) - int64(j.MinGPUs), int64(j.Duration), int64(j.Estimate) - int64(j.Duration),
		int64(j.Request.GPUMilli), int64(j.Request.CPUMilli), int64(j.Request.MemoryMiB),
	} {
		if n != 0 {
			mask |= 1 << i
			b = binary.AppendVarint(b, n)
		}
	}
	if j.Across {
		mask |= maskAcross
	}
	if j.Priority != 1 {
		mask |= maskPriority
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(j.Priority))
	}
	if j.Parallel != 0 {
		mask |= maskParallel
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(j.Parallel))
	}
	binary.LittleEndian.PutUint16(b[start:], mask)
	for _, s := range [...]string{j.Name, j.Tenant, string(j.Request.Models)} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

// decodeJob decodes what appendJob wrote, or says io.ErrUnexpectedEOF.
func decodeJob(b []byte, j *sim.Job, names interner) error {
	if len(b) < 2 {
		return io.ErrUnexpectedEOF
	}
	mask := binary.LittleEndian.Uint16(b)
	b = b[2:]
	var n [jobInts]int64
	for i := range n {
		if mask&(1<<i) == 0 {
			continue
		}
		v, size := binary.Varint(b)
		if size <= 0 {
			return io.ErrUnexpectedEOF
		}
		n[i], b = v, b[size:]
	}
	floats := [2]float64{1, 0}
	for i, bit := range [2]uint16{maskPriority, maskParallel} {
		if mask&bit == 0 {
			continue
		}
		if len(b) < 8 {
			return io.ErrUnexpectedEOF
		}
		floats[i], b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
	}
	var s [3]string
	for i := range s {
		length, size := binary.Uvarint(b)
		if size <= 0 || length > uint64(len(b)-size) {
			return io.ErrUnexpectedEOF
		}
		switch text := b[size : size+int(length)]; {
		case length == 0:
		case i == 0: // a name, which no other job has
			s[i] = string(text)
		default:
			s[i] = names.get(text)
		}
		b = b[size+int(length):]
	}
	*j = sim.Job{
		ID: n[0], Kind: sim.Kind(n[1]), Submit: sim.Time(n[2]), Earliest: sim.Time(n[3]),
		MinGPUs: int(n[4]), MaxGPUs: int(n[4] + n[5]), Duration: sim.Time(n[6]), Estimate: sim.Time(n[6] + n[7]),
		Across: mask&maskAcross != 0, Priority: floats[0], Parallel: floats[1],
		Name: s[0], Tenant: s[1],
		Request: hardware.Request{
			GPUMilli: int(n[8]), CPUMilli: int(n[9]), MemoryMiB: int(n[10]), Models: hardware.Models(s[2]),
		},
	}
	return nil
}

// arena holds encoded jobs, each after its length, in chunks that never move.
type arena struct {
	chunks [][]byte
	used   int // chunks that hold something
	code   []byte
}

const arenaChunk = 1 << 20

// put stores a job and says where; places grow.
func (a *arena) put(j *sim.Job) int {
	a.code = appendJob(a.code[:0], j)
	need := len(a.code) + binary.MaxVarintLen64
	if a.used == 0 || len(a.chunks[a.used-1])+need > cap(a.chunks[a.used-1]) {
		a.used++
		switch {
		case a.used > len(a.chunks):
			a.chunks = append(a.chunks, make([]byte, 0, max(arenaChunk, need)))
		case cap(a.chunks[a.used-1]) < need:
			a.chunks[a.used-1] = make([]byte, 0, need)
		}
	}
	c := &a.chunks[a.used-1]
	place := (a.used-1)<<32 | len(*c)
	*c = append(binary.AppendUvarint(*c, uint64(len(a.code))), a.code...)
	return place
}

// get gives a job with and without its length.
func (a *arena) get(place int) (record, code []byte) {
	b := a.chunks[place>>32][place&(1<<32-1):]
	n, size := binary.Uvarint(b)
	end := size + int(n)
	return b[:end], b[size:end]
}

// reset forgets the jobs and keeps the memory.
func (a *arena) reset() {
	for i := range a.chunks {
		a.chunks[i] = a.chunks[i][:0]
	}
	a.used = 0
}
