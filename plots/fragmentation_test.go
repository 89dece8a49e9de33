package plots

import (
	"math"
	"strings"
	"testing"
)

// placementCurves are curves of the shape that packing has: everything is given
// away until some level, and nothing after it.
func placementCurves(n int, published bool) []PlacementCurve {
	names := []string{"fgd", "bestfit", "packing", "clustering", "dotproduct", "random", "another"}
	var out []PlacementCurve
	for i := range n {
		c := PlacementCurve{Label: names[i]}
		for x := range 131 {
			most := 95 - 1.5*float64(i)
			c.Allocation = append(c.Allocation, min(float64(x), most))
			c.Fragmentation = append(c.Fragmentation, max(14-float64(x)/10, 100-most)+float64(i%3))
		}
		if published {
			for x := range 131 {
				c.PublishedAllocation = append(c.PublishedAllocation, c.Allocation[x]-0.2)
				c.PublishedFragmentation = append(c.PublishedFragmentation, c.Fragmentation[x]+0.2)
			}
		}
		out = append(out, c)
	}
	return out
}

func TestFragmentationErrors(t *testing.T) {
	broken, short := placementCurves(2, true), placementCurves(1, false)
	broken[1].PublishedAllocation[7] = math.NaN()
	short[0].Allocation, short[0].Fragmentation = short[0].Allocation[:50], short[0].Fragmentation[:50]
	for _, c := range []struct {
		curves []PlacementCurve
		want   string
	}{
		{nil, "0 curves; 1 to 7 can be told apart"},
		{make([]PlacementCurve, 8), "8 curves; 1 to 7 can be told apart"},
		{broken, "bestfit: 131 finite values"},
		{short, "fgd: allocation and fragmentation to beyond 80 percent are needed"},
	} {
		if _, err := Fragmentation("", c.curves); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := Fragmentation("", placementCurves(7, false)); err != nil {
		t.Error(err)
	}
}
