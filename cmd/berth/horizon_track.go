package main

import (
	"math"

	"berth/plots"
	"berth/policies"
	"berth/sim"
	"berth/sim/experiment"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// trackLead is how many steps ahead the drawn forecast was made.
const trackLead = 1

// forecastLog keeps what plans were told of one service, trackLead steps ahead.
type forecastLog struct {
	service string
	step    sim.Time
	steps   int
	said    map[int]int // step → GPUs
}

// logFor asks for the figure of a forecast beside its traffic: of the first
// service, in the first run with learned forecasts and history. It listens to
// the plans of the input's next setup.
func (s *study) logFor(c experiment.Cell, in *input, seed int) *forecastLog {
	in.onOutlook = nil
	if c.Factor != trackFactor || c.Level != "learned" || seed != 0 || len(in.Services) == 0 {
		return nil
	}
	l := &forecastLog{in.Services[0].Name, in.Step(), int(in.HorizonHours / in.Step().Hours()), map[int]int{}}
	in.onOutlook = l.hear
	return l
}

// trackFactor is the factor whose level "learned" is drawn beside its traffic.
const trackFactor = "forecast"

// hear keeps the first plan of a step.
func (l *forecastLog) hear(o policies.Outlook) {
	for _, v := range o.Services {
		if at := int(v.From/l.step) + trackLead; v.Service == l.service && trackLead < len(v.Forecast) {
			if _, known := l.said[at]; !known {
				l.said[at] = v.Forecast[trackLead]
			}
		}
	}
}

// track reads demand and GPUs held off the course of the run.
func (l *forecastLog) track(spans *metrics.Spans) *plots.Track {
	t := &plots.Track{Service: l.service, Step: l.step}
	for at := range l.steps {
		middle := sim.Time(at)*l.step + l.step/2
		demand, held := 0, 0
		for i := range spans.Services {
			if v := &spans.Services[i]; v.Service == l.service && v.Start <= middle && middle < v.End {
				demand, held = v.Wanted, hardware.Size(v.GPUs)
			}
		}
		forecast := math.NaN()
		if gpus, ok := l.said[at]; ok {
			forecast = float64(gpus)
		}
		t.Demand, t.Held, t.Forecast = append(t.Demand, float64(demand)), append(t.Held, float64(held)), append(t.Forecast, forecast)
	}
	return t
}

// trackOf is the track of the run that was listened to; nil when there is none.
func trackOf(points []studyPoint) *plots.Track {
	for _, p := range points {
		if p.track != nil {
			return p.track
		}
	}
	return nil
}

func drawTrack(dir string, t *plots.Track) error {
	if t == nil {
		return nil
	}
	f, err := plots.ForecastTrack(*t)
	if err != nil {
		return err
	}
	_, err = f.Save(dir, "forecast")
	return err
}
