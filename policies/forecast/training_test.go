package forecast

import (
	"os"
	"slices"
	"testing"
	"time"
)

func TestTmp(t *testing.T) {
	for _, n := range []int{100, 400, 2000} {
		s := SyntheticTraining(1, n, time.Hour)
		r, err := ScoreTraining(s, s[n*7/10].Submit, TrainerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		WriteTable(os.Stdout, r.Rows())
		t.Log(r.Trained, r.CorrectedBlock, r.BaseBlock, r.BySizeBlock)
		var h []float64
		for i := range s {
			h = append(h, s[i].Hours)
		}
		slices.Sort(h)
		t.Log(h[n/10], h[n/2], h[n*9/10], h[n-1])
	}
}
