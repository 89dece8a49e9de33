package forecast

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"berth/sim/hardware"
)

// GPU is what the estimates need to know of an accelerator.
type GPU struct {
	hardware.SKU         // name, memory in GiB, dense BF16 peak in TFLOPS
	BandwidthTBs float64 // of its memory, in 10¹² bytes a second
}

// gpus are taken from the makers' data sheets (SXM versions where
// there are any, without sparsity). Sheets state decimal gigabytes; they are taken as GiB, as the
// devices report close to that.
var gpus = []GPU{
	{hardware.SKU{Name: "A100-40", MemoryGiB: 40, PeakTFLOPS: 312}, 1.555},
	{hardware.SKU{Name: "A100-80", MemoryGiB: 80, PeakTFLOPS: 312}, 2.039},
	{hardware.SKU{Name: "L40S", MemoryGiB: 48, PeakTFLOPS: 362}, 0.864},
	{hardware.SKU{Name: "H100", MemoryGiB: 80, PeakTFLOPS: 989}, 3.35},
	{hardware.SKU{Name: "H200", MemoryGiB: 141, PeakTFLOPS: 989}, 4.8},
}

// GPUs are the accelerators known by name.
func GPUs() []GPU { return slices.Clone(gpus) }

// GPUByName finds an accelerator of GPUs.
func GPUByName(name string) (GPU, error) {
	var names []string
	for _, g := range gpus {
		if g.Name == name {
			return g, nil
		}
		names = append(names, g.Name)
	}
	return GPU{}, fmt.Errorf("forecast: GPU %q is unknown; accepted are %s", name, strings.Join(names, ", "))
}

const (
	gib = 1 << 30

	// usable is the share of device memory that a job can fill before
	// fragmentation and the runtime's own buffers stop it.
	usable = 0.92
	// MaxBlock is the largest block that is ever estimated, in GPUs.
	MaxBlock = 1024
)

// leastBlock is the least power of two at which the memory needed on each GPU
// fits, up to MaxBlock; need is asked in GiB.
func leastBlock(g GPU, need func(gpus int) float64) (int, error) {
	have := g.MemoryGiB * usable
	for n := 1; n <= MaxBlock; n *= 2 {
		if need(n) <= have {
			return n, nil
		}
	}
	return 0, fmt.Errorf("forecast: needs %.0f GiB on each of %d GPUs %s; accepted is at most %.0f GiB",
		need(MaxBlock), MaxBlock, g.Name, have)
}

// Model is a dense transformer as the estimates see it.
type Model struct {
	Params float64 // billions, > 0
	Layers int
	Width  int // of the hidden state
}

// modelSizes are shapes of well-known open models; sizes between them are
// interpolated by ModelOf.
var modelSizes = []Model{
	{0.5, 24, 896}, {1.5, 28, 1536}, {3, 36, 2048}, {7, 32, 4096}, {13, 40, 5120},
	{32, 64, 5120}, {70, 80, 8192}, {180, 96, 12288}, {405, 126, 16384},
}

// ModelOf is a model of a size in billions of parameters, with the depth and
// width of the known model that is nearest on a logarithmic scale.
func ModelOf(params float64) Model {
	best := modelSizes[0]
	for _, m := range modelSizes[1:] {
		if math.Abs(math.Log(params/m.Params)) < math.Abs(math.Log(params/best.Params)) {
			best = m
		}
	}
	return Model{params, best.Layers, best.Width}
}

func (m Model) check() error {
	if !(m.Params > 0 && m.Params <= 1e5) || m.Layers < 1 || m.Width < 1 {
		return fmt.Errorf("forecast: model has %v billion parameters, %d layers, width %d; accepted are above 0 (parameters at most 100,000 billion)", m.Params, m.Layers, m.Width)
	}
	return nil
}

// forward is the FLOPs of one token's forward pass in a sequence of a length.
func (m Model) forward(length float64) float64 {
	return 2*m.Params*1e9 + 2*float64(m.Layers)*float64(m.Width)*length
}

// kvShare is the size of the attention cache against one key and one value of
// full width a layer: eight query heads share a key-value head.
const kvShare = 1.0 / 8

// cacheBytes is the attention cache of one token, in 16 bits.
func (m Model) cacheBytes() float64 {
	return 2 * 2 * kvShare * float64(m.Layers) * float64(m.Width)
}
