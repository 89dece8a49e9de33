package forecast

import (
	"os"
	"testing"
)

func TestTmp2(t *testing.T) {
	for _, tr := range []Traffic{
		{Weeks: 8, Peak: 100, Floor: 0.3, Weekend: 0.5},
		{Weeks: 12, Peak: 100, Floor: 0.3, Weekend: 0.5, Noise: 0.1},
		{Weeks: 12, Peak: 100, Floor: 0.3, Weekend: 0.5, Noise: 0.1, Trend: 0.03},
		{Weeks: 12, Peak: 100, Floor: 0.3, Weekend: 0.5, Noise: 0.1, Trend: 0.03, Missing: 0.1},
	} {
		s, err := tr.Series(1)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := ScoreProfile(s, len(s)/2, 0.9, []int{1, 6, 24, 48}, ProfileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		WriteTable(os.Stdout, rows)
		for _, q := range []float64{0.5, 0.9, 0.99} {
			p, err := ScoreProvision(s, len(s)/2, Provisioning{q, 24, 2, 64, func(v float64) int { return wholeGPUs(v / 5) }}, ProfileOptions{})
			t.Log(q, p, err)
		}
	}
	b := SyntheticBatch(1, 400)
	c, base, err := ScoreBatch(b, 0.7, 0.9)
	WriteTable(os.Stdout, []Scored{{"batch corrected", c}, {"base", base}})
	qs := SyntheticQuantization(1, 1000)
	r, e, err := ScoreQuantization(qs, 0)
	WriteTable(os.Stdout, []Scored{{"quant reserved", r}, {"tier", e}})
	t.Log(err)
}
