// Package highs runs the HiGHS solver inside the process: the WebAssembly
// build that the npm package highs carries, under a pure Go runtime. The
// module is fetched once by the program in fetch, checked against ModuleSum,
// and is never part of this repository. It sees no files, no network and no
// environment; its clock is ours, which is how a solve is cancelled.
//
// HiGHS: https://highs.dev, MIT licence; C interface as of version 1.15.
package highs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// maxMemoryPages bounds the memory of one instance: 2 GiB, which is what the
// module's own build allows.
const maxMemoryPages = 2 << 30 / pageBytes

// shared is the runtime of the process: compiling the module takes seconds
// the first time and a tenth of one from the cache, so it is done once.
var shared struct {
	sync.Mutex
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// load compiles the module, or returns it compiled before. A failure is not
// remembered: the module may be fetched while the program runs.
func load() (wazero.Runtime, wazero.CompiledModule, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.module != nil {
		return shared.runtime, shared.module, nil
	}
	data, err := readModule()
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(maxMemoryPages).WithDebugInfoEnabled(false)
	if dir, err := Dir(); err == nil {
		// Without a cache every process compiles anew: slower, not wrong.
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, "compiled")); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	r := wazero.NewRuntimeWithConfig(ctx, config)
	module, err := r.CompileModule(ctx, data)
	if err == nil {
		err = instantiateHost(ctx, r)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("solver highs: %w", err), r.Close(ctx))
	}
	shared.runtime, shared.module = r, module
	return r, module, nil
}

// instance is one running copy of the module, with memory of its own. After
// an error it must only be closed.
type instance struct {
	ctx    context.Context
	module api.Module
	clock  *clock
	err    error // the first one; later calls do nothing
}

func newInstance(c *clock) (*instance, error) {
	r, compiled, err := load()
	if err != nil {
		return nil, err
	}
	ctx := context.WithValue(context.Background(), clockKey{}, c)
	m, err := r.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("solver highs: %w", err)
	}
	in := &instance{ctx: ctx, module: m, clock: c}
	if in.callRaw(constructorsExport, constructorsExport); in.err != nil {
		return nil, errors.Join(in.err, in.close())
	}
	return in, nil
}

func (in *instance) close() error { return in.module.Close(in.ctx) }

// call calls a function of the C interface by name and returns its result, 0
// when it has none.
func (in *instance) call(name string, args ...uint64) uint64 {
	return in.callRaw(name, exports[name], args...)
}

func (in *instance) callRaw(name, export string, args ...uint64) uint64 {
	if in.err != nil {
		return 0
	}
	f := in.module.ExportedFunction(export)
	if f == nil {
		in.err = fmt.Errorf("solver highs: the module has no %s", name)
		return 0
	}
	results, err := f.Call(in.ctx, args...)
	if err != nil {
		in.err = fmt.Errorf("solver highs: %s: %w", name, err)
		return 0
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

// status calls a function that returns one of HiGHS's statuses; −1 is an
// error.
func (in *instance) status(name string, args ...uint64) {
	if api.DecodeI32(in.call(name, args...)) == -1 && in.err == nil {
		in.err = fmt.Errorf("solver highs: %s failed", name)
	}
}
