package workloads

// Published is what the article on the constraint-aware allocator reports for
// a workload; its workloads themselves were not published. All figures are
// fractions of one. 0 stands for a figure that is not there.
type Published struct {
	FIFO, Allocator float64 // utilization
	ValueGain       float64 // of the allocator over FIFO
	// Note says what is known instead of a figure.
	Note string
}

// published is by scenario. Of three contended workloads only ranges are known.
var published = map[string]Published{
	"mixed-control":    {FIFO: 0.516, Note: "allocator in 72–88 %, gain in 24.6–105.1 %"},
	"training-heavy":   {FIFO: 0.536, Allocator: 0.870, ValueGain: 1.05},
	"inference-heavy":  {Note: contended},
	"batch-burst":      {Note: contended},
	"fragmented":       {Note: contended},
	"uniform-priority": {FIFO: 0.768, Allocator: 0.875, ValueGain: 0.231},
	"scale":            {FIFO: 0.449, Allocator: 0.449, ValueGain: 0.159},
}

const contended = "FIFO in 52–85 %, allocator in 72–88 %, gain from 24.6 %"

// PublishedFigures are the article's figures for an embedded scenario.
func PublishedFigures(name string) Published { return published[name] }
