package forecast

import (
	"fmt"

	"berth/policies/plan"
)

// ScoreProfile forecasts a series slot by slot and compares with what came. The
// profile observes every slot in turn; forecasts made from split on are scored,
// for each of the leads (slots ahead). Beside each stand two forecasts without
// a model: the latest value, and the value of the same slot a week before,
// where the series is long enough.
func ScoreProfile(series []float64, split int, q float64, leads []int, o ProfileOptions) ([]Scored, error) {
	p, err := NewWeeklyProfile(o)
	if err != nil {
		return nil, err
	}
	if split < 1 || split >= len(series) {
		return nil, fmt.Errorf("forecast: split at %d of %d slots; accepted is inside", split, len(series))
	}
	scorers := make([][3]Scorer, len(leads))
	for l := range scorers {
		scorers[l][0].Quantile = q
	}
	for t, v := range series {
		p.Observe(int64(t), v)
		for l, lead := range leads {
			at := t + lead
			if t+1 < split || at >= len(series) {
				continue
			}
			s := &scorers[l]
			s[0].Add(series[at], p.Point(int64(at)), p.Quantile(int64(at), q))
			s[1].Add(series[at], v, 0)
			if before := at - p.o.Slots; before >= 0 && before < t {
				s[2].Add(series[at], series[before], 0)
			}
		}
	}
	var rows []Scored
	for l, lead := range leads {
		for k, name := range []string{"profile", "latest value", "a week before"} {
			if a := scorers[l][k].Accuracy(); a.N > 0 {
				rows = append(rows, Scored{fmt.Sprintf("%s, %d ahead", name, lead), a})
			}
		}
	}
	return rows, nil
}

// Provision is what a service would have held by forecasts, over the scored
// slots, in GPU-slots.
type Provision struct {
	Slots     int
	Demand    int // wanted
	Held      int
	Shortfall int // wanted and not held
	Short     int // slots with any
	Swaps     int // GPUs gained and lost
}

func (p Provision) String() string {
	d := float64(max(p.Demand, 1)) / 100
	return fmt.Sprintf("%d slots: held %.1f %% of demand, short of %.2f %% in %d slots, %d swaps",
		p.Slots, float64(p.Held)/d, float64(p.Shortfall)/d, p.Short, p.Swaps)
}

// Provisioning says how forecasts become GPUs.
type Provisioning struct {
	Quantile float64
	Window   int // slots planned ahead
	SwapCap  int // GPUs a slot
	Max      int // GPUs held at most
	// GPUs turns a load, in the unit of the series, into a count.
	GPUs func(load float64) int
}

// ScoreProvision replays a series: after each slot the profile forecasts the
// window, the counts are put under the swap cap by plan.Envelope from what is
// held, and the first of them is held in the next slot. Slots from split on
// are scored.
func ScoreProvision(series []float64, split int, c Provisioning, o ProfileOptions) (Provision, error) {
	p, err := NewWeeklyProfile(o)
	if err != nil {
		return Provision{}, err
	}
	if c.Window < 1 || !(c.Quantile > 0 && c.Quantile < 1) || c.GPUs == nil {
		return Provision{}, fmt.Errorf("forecast: window %d, quantile %v; accepted are 1 and above, inside 0 to 1, and a function of GPUs", c.Window, c.Quantile)
	}
	var out Provision
	loads, counts := make([]float64, c.Window), make([]int, c.Window)
	held, fresh := 0, true
	for t, v := range series {
		if wanted := c.GPUs(v); t >= split {
			out.Slots++
			out.Demand += wanted
			out.Held += held
			out.Shortfall += max(wanted-held, 0)
			if wanted > held {
				out.Short++
			}
		}
		p.Observe(int64(t), v)
		p.Forecast(int64(t)+1, c.Quantile, loads)
		for i, load := range loads {
			counts[i] = c.GPUs(load)
		}
		next := plan.Envelope(counts, c.SwapCap, c.Max, fresh, held)[0]
		if t >= split {
			out.Swaps += max(next-held, held-next)
		}
		held, fresh = next, false
	}
	return out, nil
}
