package policies

import (
	"fmt"
	"slices"
	"strings"

	"berth/policies/exec"
	"berth/policies/forecast"
	"berth/policies/placement"
	"berth/policies/plan"
)

// Option describes a key of Config: what it means, and who reads it.
type Option struct {
	Key      string   `json:"key"`                // as in a scenario's [policy] table
	Meaning  string   `json:"meaning"`            // with its unit
	Default  string   `json:"default"`            // in words where it is no value
	Accepted []string `json:"accepted,omitempty"` // the words that are accepted, where it is one of a few

	reads func(policy string) bool
}

// ReadBy reports whether a policy reads the option. The others ignore it.
func (o *Option) ReadBy(policy string) bool { return o.reads(policy) }

// by names the policies that read an option, and except those that do not.
func by(names ...string) func(string) bool {
	return func(policy string) bool { return slices.Contains(names, policy) }
}

func except(names ...string) func(string) bool {
	return func(policy string) bool { return !slices.Contains(names, policy) }
}

var options = []Option{
	{"reserve", "how services are held: peak, their highest demand at all times, or curve, the cheapest legal curve over their demand", "peak (reservation: curve)", []string{"peak", "curve"}, except("horizon")},
	{"partition", "GPUs set aside for services", "the peak of their total demand", nil, by("reservation")},
	{"placement", "which node a job gets ('berth list placements')", "the lowest-numbered GPUs that suit", placementNames(), except("fifo", "conservative", "horizon")},
	{"threshold_gpu_hours", "GPU-hours of progress after which a job moves to the second queue", "1", nil, by("las")},
	{"promote", "a job of the second queue moves back once it has waited so many times as long as it has run", "never", nil, by("las")},

	{"command", "the program and its arguments, quoted as in a shell", "", nil, by("exec")},
	{"timeout", "wall-clock time for one answer, a duration", exec.DefaultTimeout.String(), nil, by("exec")},
	{"record", "file that the conversation is written to; {seed} stands for the seed, .zst at the end compresses", "none", nil, by("exec")},
	{"replay", "record that answers in place of the program; {seed} stands for the seed", "none", nil, by("exec")},

	{"window", "steps planned ahead", fmt.Sprint(plan.DefaultSteps), nil, by("horizon")},
	{"commit", "steps of a plan that are carried out before the next plan", "1", nil, by("horizon")},
	{"replan", "with commit = 1, what else calls for a plan: step nothing, arrival new jobs, event also jobs that end", "event", []string{"step", "arrival", "event"}, by("horizon")},
	{"replan_minutes", "with commit = 1, plan also whenever so many minutes have passed", "at the steps only", nil, by("horizon")},
	{"mode", "how a window is planned: fast, by the search alone, or full, by the solver from the search's plan on", "fast", []string{"fast", "full"}, by("horizon")},
	{"node_limit", "of full mode: nodes a plan", fmt.Sprint(defaultNodes), nil, by("horizon")},
	{"budget", "of the search: a count of evaluations, or a duration (then not reproducible)", defaultBudget, nil, by("horizon")},
	{"boundary", "of a window that ends before the run does", plan.Open.String(), []string{"closed", "open", "salvage"}, by("horizon")},
	{"sigma", "with boundary = salvage: what a step past the window is worth, 0 to 1", "0", nil, by("horizon")},
	{"gamma", "decay per hour inside a plan", "the scenario's", nil, by("horizon")},
	{"lambda", "weight of a GPU-hour of shortfall inside a plan", "the scenario's", nil, by("horizon")},
	{"forecast", "of demand: perfect, learned, a weekly profile, or cold, the same without what happened before the run", "perfect", []string{"perfect", "learned", "cold"}, by("horizon")},
	{"quantile", "of demand that a learned forecast aims at, 0 to 1", fmt.Sprint(forecast.DefaultQuantile), nil, by("horizon")},
	{"duration_sigma", "error of estimates: σ of a log-normal factor, drawn once a job", "0", nil, by("horizon")},
	{"demand_bias", "error of forecast demand in all steps: 0.2 forecasts a fifth too much", "0", nil, by("horizon")},
	{"demand_level", "error of forecast demand: σ of a log-normal factor, drawn once a day", "0", nil, by("horizon")},
	{"demand_noise", "the same, drawn once a step", "0", nil, by("horizon")},
	{"demand_missed", "share of days whose peak is not seen coming, 0 to 1", "0", nil, by("horizon")},
	{"demand_settle", "steps ahead at which these errors, the bias aside, reach their size; with 0 they have it always", "0", nil, by("horizon")},
}

// Options lists the keys of Config in its order.
func Options() []Option { return slices.Clone(options) }

// OptionsOf are the options that a policy reads.
func OptionsOf(policy string) []Option {
	return slices.DeleteFunc(Options(), func(o Option) bool { return !o.reads(policy) })
}

// checkChoice reports a value that is none of the words that an option accepts.
func checkChoice(key, value string) error {
	for _, o := range options {
		if o.Key == key && value != "" && !slices.Contains(o.Accepted, value) {
			return fmt.Errorf("policy.%s = %q is unknown; accepted are %s", key, value, strings.Join(o.Accepted, ", "))
		}
	}
	return nil
}

func placementNames() (names []string) {
	for _, e := range placement.All() {
		names = append(names, e.Name)
	}
	return names
}
