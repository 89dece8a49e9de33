package forecast

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"
)

// Accuracy compares forecasts with what came, on data that the forecaster had
// not seen. Relative errors are (forecast − actual) ÷ actual.
type Accuracy struct {
	N     int // pairs compared
	Zeros int // of these, pairs whose actual value is 0: they have no relative error and are left out of MAPE, Median and Bias

	MAPE   float64 // mean absolute relative error
	Median float64 // median absolute relative error
	Bias   float64 // mean relative error; above 0 the forecast is too high
	WAPE   float64 // Σ |forecast − actual| ÷ Σ actual, over all pairs, zeros too

	Quantile float64 // that the high forecast aims at; 0 when there is none
	Coverage float64 // share of all pairs with actual ≤ high forecast
}

// Interval is where Coverage lies with a probability of 95 % if the quantile
// is right and errors are independent (normal approximation to the binomial).
// Errors of neighbouring hours are not independent, so that for a time series
// it is too narrow.
func (a Accuracy) Interval() (low, high float64) {
	if a.N == 0 {
		return 0, 1
	}
	half := 1.96 * math.Sqrt(a.Quantile*(1-a.Quantile)/float64(a.N))
	return max(a.Quantile-half, 0), min(a.Quantile+half, 1)
}

// Scorer gathers pairs for an Accuracy. The zero value scores no quantile.
type Scorer struct {
	Quantile float64 // that the high forecasts aim at

	relative      []float64
	n, covered    int
	absolute, sum float64
}

// Add compares one forecast. high is the forecast of the quantile; it is
// ignored when no quantile is scored. Values that are not finite, and negative
// actual values, are left out.
func (s *Scorer) Add(actual, forecast, high float64) {
	if !(actual >= 0) || math.IsInf(actual, 0) || math.IsNaN(forecast) || math.IsInf(forecast, 0) {
		return
	}
	s.n++
	if actual <= high {
		s.covered++
	}
	s.absolute += math.Abs(forecast - actual)
	s.sum += actual
	if actual > 0 {
		s.relative = append(s.relative, (forecast-actual)/actual)
	}
}

// Accuracy is the result so far.
func (s *Scorer) Accuracy() Accuracy {
	a := Accuracy{N: s.n, Zeros: s.n - len(s.relative), Quantile: s.Quantile}
	if s.sum > 0 {
		a.WAPE = s.absolute / s.sum
	}
	if a.Quantile > 0 && s.n > 0 {
		a.Coverage = float64(s.covered) / float64(s.n)
	}
	k := float64(len(s.relative))
	if k == 0 {
		return a
	}
	size := make([]float64, len(s.relative))
	for i, e := range s.relative {
		size[i] = math.Abs(e)
		a.Bias += e / k
		a.MAPE += size[i] / k
	}
	slices.Sort(size)
	a.Median = (size[(len(size)-1)/2] + size[len(size)/2]) / 2
	return a
}

// Scored is a line of a table of accuracies.
type Scored struct {
	Name string
	Accuracy
}

// WriteTable writes accuracies as aligned text, shares in per cent.
func WriteTable(w io.Writer, rows []Scored) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "forecast\tn\tMAPE %\tmedian %\tbias %\tWAPE %\tquantile\tcovered %\t")
	percent := func(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) }
	for _, r := range rows {
		quantile, covered := "-", "-"
		if r.Quantile > 0 {
			quantile, covered = strconv.FormatFloat(r.Quantile, 'g', 3, 64), percent(r.Coverage)
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Name, r.N,
			percent(r.MAPE), percent(r.Median), percent(r.Bias), percent(r.WAPE), quantile, covered)
	}
	return t.Flush()
}

// Blocks compares estimated blocks with the least ones that sufficed.
type Blocks struct{ N, Exact, Under, Over int }

// Add compares one block.
func (b *Blocks) Add(actual, forecast int) {
	b.N++
	switch {
	case forecast < actual:
		b.Under++
	case forecast > actual:
		b.Over++
	default:
		b.Exact++
	}
}

func (b Blocks) String() string {
	n := float64(max(b.N, 1)) / 100
	return fmt.Sprintf("%d blocks: %.1f %% exact, %.1f %% too small, %.1f %% too large",
		b.N, float64(b.Exact)/n, float64(b.Under)/n, float64(b.Over)/n)
}
