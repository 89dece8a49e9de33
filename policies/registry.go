// Package policies holds the policies that berth compares, one file each, and
// the registry that names them.
package policies

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"berth/policies/allocator"
	"berth/policies/forecast"
	"berth/policies/placement"
	"berth/policies/plan"
	"berth/sim"
)

// Config is what a policy can be told. The zero value of a field means its
// default; a field that a policy does not read is ignored by it. Options says
// what each key means, its default, and which policies read it.
type Config struct {
	Reserve           string  `toml:"reserve"`
	Partition         int     `toml:"partition"`           // GPUs
	Placement         string  `toml:"placement"`           // a name of placement.All
	ThresholdGPUHours float64 `toml:"threshold_gpu_hours"` // of progress
	Promote           float64 `toml:"promote"`             // multiples of the time that a job has run

	Command string `toml:"command"` // quoted as in a shell
	Timeout string `toml:"timeout"` // duration
	Record  string `toml:"record"`  // path
	Replay  string `toml:"replay"`  // path

	Window        int     `toml:"window"` // steps
	Commit        int     `toml:"commit"` // steps
	Replan        string  `toml:"replan"`
	ReplanMinutes float64 `toml:"replan_minutes"`
	Mode          string  `toml:"mode"`
	NodeLimit     int     `toml:"node_limit"`
	Budget        string  `toml:"budget"`   // duration or count of evaluations
	Boundary      string  `toml:"boundary"` // a plan.Boundary
	Sigma         float64 `toml:"sigma"`    // 0 … 1
	PlanGamma     float64 `toml:"gamma"`
	PlanLambda    float64 `toml:"lambda"`

	Forecast      string  `toml:"forecast"`
	Quantile      float64 `toml:"quantile"`       // 0 … 1
	DurationSigma float64 `toml:"duration_sigma"` // see forecast.DurationErrors
	DemandBias    float64 `toml:"demand_bias"`    // this and the next: see forecast.DemandErrors
	DemandLevel   float64 `toml:"demand_level"`
	DemandNoise   float64 `toml:"demand_noise"`
	DemandMissed  float64 `toml:"demand_missed"`
	DemandSettle  int     `toml:"demand_settle"` // steps

	Lambda    float64       `toml:"-" json:"-"` // weight of shortfall, from the scenario
	Gamma     float64       `toml:"-" json:"-"` // decay per hour, from the scenario
	Seed      uint64        `toml:"-" json:"-"` // of the run
	Stderr    io.Writer     `toml:"-" json:"-"` // gets the standard error of exec's program; may be nil
	OnOutlook func(Outlook) `toml:"-" json:"-"` // told what each plan foresees; may be nil

	Typical []placement.Typical `toml:"-" json:"-"` // jobs that placement = "fgd" keeps room for; nil means those seen so far
}

// boundary is the end of a window that ends before the run does.
func (c *Config) boundary() (b plan.Boundary, err error) {
	err = b.UnmarshalText([]byte(cmp.Or(c.Boundary, plan.Open.String())))
	return b, err
}

// Entry describes a policy that can be named.
type Entry struct {
	Name    string
	Summary string
	make    func(Config) (sim.Policy, error)
}

var entries = []Entry{
	{"fifo", "commits each arriving job to the earliest hole, lowest GPUs first", newFIFO},
	{"fcfs", "strict arrival order: the head of the line blocks those behind it", newFCFS},
	{"easy", "EASY backfilling: later jobs may start unless they delay the head", newEASY},
	{"sjf", "shortest estimate first, head of line", newSJF},
	{"srtf", "shortest remaining estimate first, with preemption", newSRTF},
	{"las", "least attained GPU-time first, in two queues, with preemption", newLAS},
	{"conservative", "conservative backfilling: every waiting job has a place that nothing delays", newConservative},
	{"fairshare", "the tenant with the least dominant share first", newFairShare},
	{"priority", "highest priority first, head of line", newPriority},
	{"loss", "each job starts where there is room when it arrives, or is refused", newLoss},
	{"reservation", "a fixed partition for services, arrival order in the rest", newReservation},
	{"horizon", "plans a window ahead, commits the current step, plans again", newHorizon},
	{"exec", "asks a program in any language (docs/protocol.md)", newExec},
}

// All lists the policies in the order in which they are documented.
func All() []Entry { return slices.Clone(entries) }

// New makes the policy of a name, for one run.
func New(name string, c Config) (sim.Policy, error) {
	for _, e := range entries {
		if e.Name == name {
			if err := c.validate(); err != nil {
				return nil, err
			}
			return e.make(c)
		}
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return nil, fmt.Errorf("policy %q is unknown; accepted are %s", name, strings.Join(names, ", "))
}

// maxWindow is the longest window, in steps.
const maxWindow = 100_000

// validate reports the first setting that makes no sense, whether the policy
// reads it or not.
func (c *Config) validate() error {
	for _, choice := range [][2]string{{"reserve", c.Reserve}, {"replan", c.Replan}, {"mode", c.Mode}, {"forecast", c.Forecast}} {
		if err := checkChoice(choice[0], choice[1]); err != nil {
			return err
		}
	}
	if c.Placement != "" {
		if err := placement.Check(c.Placement); err != nil {
			return fmt.Errorf("policy.%w", err)
		}
	}
	switch {
	case c.Partition < 0:
		return fmt.Errorf("policy.partition = %d is negative; accepted are a number of GPUs, or 0 for the peak of the total demand", c.Partition)
	case c.Window < 0 || c.Commit < 0:
		return fmt.Errorf("policy.window = %d, policy.commit = %d; accepted are numbers of steps, or 0 for the default", c.Window, c.Commit)
	case c.NodeLimit < 0 || c.NodeLimit > math.MaxInt32:
		return fmt.Errorf("policy.node_limit = %d; accepted are 1 to %d, or 0 for the default", c.NodeLimit, math.MaxInt32)
	case c.Window > maxWindow:
		return fmt.Errorf("policy.window = %d; at most %d steps are accepted", c.Window, maxWindow)
	case cmp.Or(c.Commit, 1) > cmp.Or(c.Window, plan.DefaultSteps):
		return fmt.Errorf("policy.commit = %d is more than the %d steps of the window", c.Commit, cmp.Or(c.Window, plan.DefaultSteps))
	case !(c.Sigma >= 0 && c.Sigma <= 1):
		return fmt.Errorf("policy.sigma = %g is outside [0, 1]", c.Sigma)
	case !(c.PlanGamma >= 0 && c.PlanGamma <= 1) || !(c.PlanLambda >= 0 && c.PlanLambda <= plan.MaxNumber):
		return fmt.Errorf("policy.gamma = %g, policy.lambda = %g; accepted are 0 < gamma ≤ 1, lambda > 0, or 0 for the scenario's", c.PlanGamma, c.PlanLambda)
	}
	if !(c.ThresholdGPUHours >= 0 && c.ThresholdGPUHours <= 1e6) || !(c.Promote >= 0 && c.Promote <= 1e6) {
		return fmt.Errorf("policy.threshold_gpu_hours = %g, policy.promote = %g; accepted are 0 to 1e6", c.ThresholdGPUHours, c.Promote)
	}
	if c.ReplanMinutes != 0 && !(c.ReplanMinutes >= 0.001 && c.ReplanMinutes <= 1e9) {
		return fmt.Errorf("policy.replan_minutes = %g; accepted are 0.001 to 1e9, or 0 for the steps only", c.ReplanMinutes)
	}
	if !(c.Quantile >= 0 && c.Quantile < 1) {
		return fmt.Errorf("policy.quantile = %g; accepted are above 0 and below 1, or 0 for the default", c.Quantile)
	}
	if _, err := c.boundary(); err != nil {
		return fmt.Errorf("policy.%w", err)
	}
	_, err := c.budget()
	return errors.Join(err, c.demandErrors().Check(), forecast.DurationErrors{Sigma: c.DurationSigma}.Check())
}

// place is the placement of a valid configuration, nil for the standard one.
func (c *Config) place() *placement.Placement {
	if c.Placement == "" {
		return nil
	}
	p, _ := placement.New(c.Placement, placement.Options{Seed: c.Seed, Typical: c.Typical})
	return p
}

// demandErrors are the errors to add to forecasts of demand.
func (c *Config) demandErrors() forecast.DemandErrors {
	return forecast.DemandErrors{Bias: c.DemandBias, Level: c.DemandLevel, Noise: c.DemandNoise, Missed: c.DemandMissed, Settle: c.DemandSettle}
}

// noisyDemand reports whether forecasts of demand have errors.
func (c *Config) noisyDemand() bool {
	return c.demandErrors() != forecast.DemandErrors{Settle: c.DemandSettle}
}

// budget is the configured budget of a search.
func (c *Config) budget() (allocator.Budget, error) {
	b, err := allocator.ParseBudget(cmp.Or(c.Budget, defaultBudget))
	if err != nil {
		return b, fmt.Errorf("policy.budget: %w", err)
	}
	return b, nil
}

// defaultBudget is counted in evaluations, so that runs are reproducible.
const defaultBudget = "300"
