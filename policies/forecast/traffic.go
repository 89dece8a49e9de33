package forecast

import (
	"fmt"
	"math"

	"berth/sim"
)

// Traffic describes synthetic traffic by the hour. The zero value is empty.
//
//	value = Peak × (Floor + (1 − Floor) × bump(hour of day)) × Weekend on days 5 and 6
//	        × (1 + Trend)^weeks × exp(Noise·z)
//
// bump is a bell of 1 at 15:00 with a standard deviation of four hours. On a
// share Missing of the days the bump does not come.
type Traffic struct {
	Weeks   int
	Peak    float64 // at 15:00 of a weekday
	Floor   float64 // at night, as a share of Peak
	Weekend float64 // as a share of a weekday; 0 means 1
	Trend   float64 // growth a week: 0.02 is 2 %
	Noise   float64 // σ of the log-normal factor of every hour
	Missing float64 // share of days without a peak
}

// Series draws the traffic, hour by hour. Noise and missing peaks have streams
// of their own.
func (tr Traffic) Series(seed uint64) ([]float64, error) {
	if tr.Weeks < 0 || tr.Weeks > 1000 || !(tr.Peak >= 0 && tr.Peak < 1e12) || !(tr.Floor >= 0 && tr.Floor <= 1) || !(tr.Weekend >= 0) ||
		!(tr.Trend > -1) || !(tr.Noise >= 0) || !(tr.Missing >= 0 && tr.Missing <= 1) {
		return nil, fmt.Errorf("forecast: traffic %+v; accepted are 0 to 1000 weeks, a trend above -1, floor and missing 0 to 1, the rest 0 and above", tr)
	}
	noise, missing := sim.Stream(seed, "forecast/traffic/noise"), sim.Stream(seed, "forecast/traffic/missing")
	series := make([]float64, 0, 168*tr.Weeks)
	for day := range 7 * tr.Weeks {
		height := tr.Peak
		if day%7 >= 5 && tr.Weekend > 0 {
			height *= tr.Weekend
		}
		bump := 1 - tr.Floor
		if missing.Float64() < tr.Missing {
			bump = 0
		}
		for hour := range 24 {
			d := math.Abs(float64(hour) - 15)
			d = min(d, 24-d)
			week := float64(day)/7 + float64(hour)/168
			v := height * (tr.Floor + bump*math.Exp(-d*d/32)) * math.Pow(1+tr.Trend, week)
			series = append(series, v*math.Exp(tr.Noise*noise.NormFloat64()))
		}
	}
	return series, nil
}
