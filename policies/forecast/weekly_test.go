package forecast

import (
	"fmt"
	"math"
	"testing"

	"berth/sim"
)

// After one exactly periodic week and what the level takes to forget it, every
// hour is forecast exactly, at every lead; after two, quantiles are too.
func TestProfileConverges(t *testing.T) {
	series, err := Traffic{Weeks: 4, Peak: 100, Floor: 0.2, Weekend: 0.5}.Series(1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewWeeklyProfile(ProfileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for slot, v := range series[:3*168] {
		p.Observe(int64(slot)-168, v)
		at := slot - 168
		for _, lead := range []int{1, 24, 168} {
			want := series[(slot+lead)%168]
			if got := p.Point(int64(at + lead)); at >= 48 && math.Abs(got-want) > 1e-5*want {
				t.Fatalf("slot %d, %d ahead: %v, want %v", at, lead, got, want)
			}
			if got := p.Quantile(int64(at+lead), 0.9); at >= 168 && math.Abs(got-want) > 1e-5*want {
				t.Fatalf("slot %d, %d ahead: quantile %v, want %v", at, lead, got, want)
			}
		}
	}
}

// Fallbacks: nothing known, the level alone, the same hour of another day.
func TestProfileFallsBack(t *testing.T) {
	p, _ := NewWeeklyProfile(ProfileOptions{})
	if got := p.Point(5); got != 0 {
		t.Errorf("knows %v before it saw anything", got)
	}
	for h := range int64(24) {
		p.Observe(h, float64(10+h))
	}
	if _, b := p.shape(24 + 5); b != byDay {
		t.Errorf("hour 5 of day 1 rests on %v", b)
	}
	if v, b := p.shape(24 + 5); b != byDay || v != 15 {
		t.Errorf("hour 5 of day 1 is %v", v)
	}
	if v, b := p.shape(168 + 5); b != byWeek || v != 15 {
		t.Errorf("hour 5 of the next week is %v", v)
	}
	q, _ := NewWeeklyProfile(ProfileOptions{})
	q.Observe(0, 7)
	if v, b := q.shape(1); b != byNothing || v != 7 {
		t.Errorf("hour 1 is %v", v)
	}
	q.Observe(0, 9)
	q.Observe(1, -1)
	q.Observe(2, math.NaN())
	if q.Skipped() != 3 {
		t.Errorf("%d skipped", q.Skipped())
	}
}

// A sudden doubling is followed within hours, and trusted less far ahead.
func TestProfileLevel(t *testing.T) {
	p, _ := NewWeeklyProfile(ProfileOptions{})
	for slot := range int64(4 * 168) {
		p.Observe(slot, 100)
	}
	for slot := int64(4 * 168); slot < 4*168+8; slot++ {
		p.Observe(slot, 200)
	}
	near, far := p.Point(4*168+8), p.Point(4*168+8+100)
	if !(near > 180 && near <= 200 && far < 110 && far >= 100) {
		t.Errorf("next hour %v, in 100 hours %v", near, far)
	}
}

// Quantiles cover what they promise, within four standard deviations of the
// binomial.
func TestProfileCoverage(t *testing.T) {
	series, err := Traffic{Weeks: 30, Peak: 100, Floor: 0.3, Weekend: 0.6, Noise: 0.2}.Series(2)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []float64{0.5, 0.8, 0.9, 0.95} {
		rows, err := ScoreProfile(series, 8*168, q, []int{1, 5, 16}, ProfileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r.Quantile > 0 && math.Abs(r.Coverage-q) > 4*math.Sqrt(q*(1-q)/float64(r.N)) {
				t.Errorf("%s: quantile %v covers %.3f of %d", r.Name, q, r.Coverage, r.N)
			}
		}
	}
}

// On synthetic weeks the profile beats the value of a week before at every
// lead, and shows how trend and missing peaks hurt.
func TestSyntheticWeeks(t *testing.T) {
	traffic := Traffic{Weeks: 12, Peak: 100, Floor: 0.3, Weekend: 0.5, Noise: 0.1}
	for _, c := range []struct{ trend, missing float64 }{{0, 0}, {0.03, 0}, {0, 0.1}, {0.03, 0.1}} {
		traffic.Trend, traffic.Missing = c.trend, c.missing
		series, err := traffic.Series(1)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := ScoreProfile(series, len(series)/2, 0.9, []int{1, 6, 24}, ProfileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("trend %v, missing peaks %v", c.trend, c.missing)
		table(t, rows)
		for i := 0; i < len(rows); i += 3 {
			if own, naive := rows[i].MAPE, rows[i+2].MAPE; own > 0.95*naive {
				t.Errorf("%+v %s: MAPE %.3f, a week before %.3f", c, rows[i].Name, own, naive)
			}
		}
		p, err := ScoreProvision(series, len(series)/2, Provisioning{0.9, 24, 2, 64, func(v float64) int { return wholeGPUs(v / 5) }}, ProfileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(p)
		if float64(p.Shortfall) > 0.02*float64(p.Demand) {
			t.Errorf("%+v: %v", c, p)
		}
	}
}

// Probabilities and quantiles of one forecast agree, and are ordered.
func TestExceedAgreesWithQuantile(t *testing.T) {
	series, _ := Traffic{Weeks: 6, Peak: 50, Floor: 0.3, Noise: 0.3}.Series(3)
	p, _ := NewWeeklyProfile(ProfileOptions{Residuals: 100})
	for slot, v := range series {
		p.Observe(int64(slot), v)
	}
	for lead := int64(1); lead < 60; lead++ {
		at, last := int64(len(series)-1)+lead, 0.0
		for q := 0.05; q < 1; q += 0.05 {
			v := p.Quantile(at, q)
			if e := p.Exceed(at, v*(1+1e-12)); v < last || math.Abs(e-(1-q)) > 1.6/101 {
				t.Fatalf("%d ahead: quantile %.2f is %v after %v, exceeded with %.3f", lead, q, v, last, e)
			}
			last = v
		}
	}
}

func TestPoolKeepsTheLatest(t *testing.T) {
	rng := sim.Stream(1, "test")
	p := pool{most: 20}
	var all []float64
	for range 500 {
		v := float64(rng.IntN(30))
		p.add(v)
		all = append(all, v)
		latest := all[max(len(all)-20, 0):]
		sum, want := 0.0, 0.0
		for i := range latest {
			sum += p.sorted[i]
			want += latest[i]
		}
		if len(p.sorted) != len(latest) || sum != want {
			t.Fatalf("%v holds %v", latest, p.sorted)
		}
	}
}

func TestTrafficSeries(t *testing.T) {
	if _, err := (Traffic{Weeks: 1, Missing: 2}).Series(1); err == nil {
		t.Error("missing 2 is accepted")
	}
	plain, _ := Traffic{Weeks: 2, Peak: 10, Noise: 0.1}.Series(4)
	missing, _ := Traffic{Weeks: 2, Peak: 10, Noise: 0.1, Missing: 0.5, Floor: 0}.Series(4)
	days := 0
	for d := range 14 {
		if missing[24*d+15] == 0 {
			days++
		} else if missing[24*d+15] != plain[24*d+15] {
			t.Error("missing peaks have changed the noise")
		}
	}
	if days == 0 || days == 14 {
		t.Errorf("%d days of 14 lack their peak", days)
	}
}

func TestProfileErrors(t *testing.T) {
	for _, o := range []ProfileOptions{{Slots: -1}, {Slots: 100, DaySlots: 24}, {Forget: 2}, {Level: math.NaN()}, {Residuals: -1}} {
		if _, err := NewWeeklyProfile(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if _, err := ScoreProfile([]float64{1}, 1, 0.9, []int{1}, ProfileOptions{}); err == nil {
		t.Error("a split outside is accepted")
	}
}

func ExampleWeeklyProfile() {
	p, _ := NewWeeklyProfile(ProfileOptions{})
	for hour := range int64(2 * 168) {
		p.Observe(hour, float64(100+hour%24)) // requests a second, say
	}
	fmt.Printf("%.1f\n", p.Point(2*168+15))
	// Output: 115.0
}
