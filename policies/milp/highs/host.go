package highs

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Error numbers that the module's C library expects.
const (
	errnoBadFile  = 8  // WASI: bad file descriptor
	errnoNotFound = 44 // WASI: no such file
	errnoInvalid  = 28 // WASI: invalid argument
)

// clock is the time that one instance sees. Its solver ends soon after jump,
// for it looks at the clock often and finds its time limit long past.
type clock struct {
	start  time.Time
	jumped atomic.Bool
}

// farFuture is beyond every time limit, in seconds.
const farFuture = 1e9

func (c *clock) seconds() float64 {
	s := time.Since(c.start).Seconds()
	if c.jumped.Load() {
		s += farFuture
	}
	return s
}

type clockKey struct{}

// clockOf is the clock of the instance that calls a host function.
func clockOf(ctx context.Context) *clock {
	if c, ok := ctx.Value(clockKey{}).(*clock); ok {
		return c
	}
	return &clock{start: time.Now()}
}

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
	f64 = api.ValueTypeF64
)

// hostFunc is one function that the module imports.
type hostFunc struct {
	name            string
	params, results []api.ValueType
	call            func(ctx context.Context, m api.Module, stack []uint64)
}

func answer(value uint64) func(context.Context, api.Module, []uint64) {
	return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = value }
}

// trap ends the instance; the caller of the exported function gets an error.
func trap(code uint32) func(context.Context, api.Module, []uint64) {
	return func(ctx context.Context, m api.Module, _ []uint64) { _ = m.CloseWithExitCode(ctx, code) }
}

func ignore(context.Context, api.Module, []uint64) {}

// negative is −n as a 32-bit system call returns it.
func negative(n int32) uint64 { return api.EncodeI32(-n) }

// hostFuncs are the imports of the module, all in its module "a". There are
// no files, no environment and no network behind them: opening fails, and
// what is written to the standard streams is dropped.
func hostFuncs() []hostFunc {
	return []hostFunc{
		{"a", []api.ValueType{i32, i32, i32}, nil, trap(exitThrow)},
		{"b", []api.ValueType{i32}, nil, trap(exitCalled)},
		{"c", nil, []api.ValueType{f64}, now},
		{"d", []api.ValueType{i32}, []api.ValueType{i32}, answer(errnoBadFile)},
		{"e", []api.ValueType{i32, i32, i32}, []api.ValueType{i32}, answer(negative(errnoBadFile))},
		{"f", []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}, write},
		{"g", []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}, answer(errnoBadFile)},
		{"h", []api.ValueType{i32, i32, i32}, []api.ValueType{i32}, answer(negative(errnoBadFile))},
		{"i", []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}, answer(negative(errnoNotFound))},
		{"j", nil, []api.ValueType{f64}, now},
		{"k", nil, nil, trap(exitAbort)},
		{"l", []api.ValueType{i32, f64}, []api.ValueType{i32}, answer(0)},
		{"m", []api.ValueType{i32, i32, i32, i32}, nil, ignore},
		{"n", []api.ValueType{i32, i32}, []api.ValueType{i32}, answer(0)},
		{"o", []api.ValueType{i32, i32}, []api.ValueType{i32}, noEnvironment},
		{"p", []api.ValueType{i32, i64, i32}, []api.ValueType{i32}, clockTime},
		{"q", []api.ValueType{i32}, []api.ValueType{i32}, resizeHeap},
		{"r", []api.ValueType{i32}, nil, trap(exitCalled)},
		{"s", nil, nil, ignore},
		{"t", []api.ValueType{i32, i64, i32, i32}, []api.ValueType{i32}, answer(errnoBadFile)},
	}
}

// Exit codes of an instance that ended inside a host function.
const (
	exitThrow  = 101
	exitCalled = 102
	exitAbort  = 103
)

// now is milliseconds, as the browser gives them.
func now(ctx context.Context, _ api.Module, stack []uint64) {
	stack[0] = api.EncodeF64(1000 * clockOf(ctx).seconds())
}

func clockTime(ctx context.Context, m api.Module, stack []uint64) {
	ns := uint64(clockOf(ctx).seconds() * 1e9)
	if !m.Memory().WriteUint64Le(uint32(stack[2]), ns) {
		stack[0] = errnoInvalid
		return
	}
	stack[0] = 0
}

// write claims to have written everything.
func write(_ context.Context, m api.Module, stack []uint64) {
	vectors, count, written := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	total := uint32(0)
	for i := range count {
		n, ok := m.Memory().ReadUint32Le(vectors + 8*i + 4)
		if !ok {
			stack[0] = errnoInvalid
			return
		}
		total += n
	}
	if !m.Memory().WriteUint32Le(written, total) {
		stack[0] = errnoInvalid
		return
	}
	stack[0] = 0
}

func noEnvironment(_ context.Context, m api.Module, stack []uint64) {
	if !m.Memory().WriteUint32Le(uint32(stack[0]), 0) || !m.Memory().WriteUint32Le(uint32(stack[1]), 0) {
		stack[0] = errnoInvalid
		return
	}
	stack[0] = 0
}

const pageBytes = 65536

// resizeHeap grows the memory to so many bytes and a fifth more, within
// maxMemoryPages; 1 means done.
func resizeHeap(_ context.Context, m api.Module, stack []uint64) {
	asked := uint64(uint32(stack[0]))
	have := uint64(m.Memory().Size())
	most := uint64(maxMemoryPages) * pageBytes
	stack[0] = 0
	if asked > most {
		return
	}
	target := min(most, max(asked, have+uint64(math.Ceil(float64(have)/5))))
	for _, size := range []uint64{target, asked} {
		pages := (size - have + pageBytes - 1) / pageBytes
		if _, ok := m.Memory().Grow(uint32(pages)); ok {
			stack[0] = 1
			return
		}
	}
}

func instantiateHost(ctx context.Context, r wazero.Runtime) error {
	b := r.NewHostModuleBuilder("a")
	for _, f := range hostFuncs() {
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(f.call), f.params, f.results).Export(f.name)
	}
	_, err := b.Instantiate(ctx)
	return err
}
