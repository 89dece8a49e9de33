package main

// figureNames are the figures that the commands draw, by the name of their
// files, with the command in parentheses.
var figureNames = [][2]string{
	{"allocation", "who held which GPU when, one grid a policy, coloured by kind of job (run, compare)"},
	{"utilization", "share of GPUs doing work, and held but idle, over time (run, compare)"},
	{"value", "priority × GPU-hours delivered, cumulated over time (run, compare)"},
	{"queue", "jobs that wait, over time (run, compare)"},
	{"delays", "waits and bounded slowdowns, as cumulative distributions (run, compare)"},
	{"policies", "value and utilization by policy, with 95 % intervals (compare)"},
	{"scenarios", "FIFO against the allocator on all scenarios (paper --only scenarios)"},
	{"ablation", "gain of reservation, ordering and planning (paper --only ablation)"},
	{"window", "value against the window, last day left out (horizon)"},
	{"window-whole", "the same of the whole run (horizon)"},
	{"commit", "value against the commitment (horizon)"},
	{"boundary", "value by boundary of the window (horizon)"},
	{"duration-error", "value against the error of durations (horizon)"},
	{"demand-error", "value against the error of demand (horizon)"},
	{"nervousness", "share of the plan that the next plan changed, against the error of durations (horizon)"},
	{"replan", "the same against the minutes between plans (horizon)"},
	{"by-hour", "utilization by hour of the day, commitment 1 and 24 (horizon)"},
	{"forecast", "one service's forecast, traffic and GPUs held (horizon)"},
	{"forecast-accuracy", "relative errors of the forecasts and of simpler ones, and coverage of the 0.9 quantile (paper --only forecast)"},
	{"delays-philly", "waits and bounded slowdowns of Philly under four orders of the queue (paper --only traces)"},
	{"delays-openb", "the same of openb (paper --only traces)"},
	{"queue-philly", "jobs that wait, over time, of Philly (paper --only traces)"},
	{"queue-openb", "the same of openb (paper --only traces)"},
	{"fragmentation", "what placements could give away, beside published figures (paper --only fragmentation)"},
	{"gap", "gap to a proven bound against the search's budget (paper --only gap)"},
	{"gap-by-planner", "gap to a proven bound by planner (paper --only gap)"},
	{"lines-MEASURE", "a measure over the axes of a sweep, a line a policy, with 95 % bands (sweep summary)"},
	{"map-MEASURE", "a measure over two axes of a sweep, a heat map a policy (sweep summary)"},
	{"pareto-MEASURE-MEASURE", "two measures of a sweep and their Pareto front (sweep summary)"},
}

func listFigures() (list []listed, err error) {
	for _, f := range figureNames {
		list = append(list, listed{Name: f[0], Summary: f[1]})
	}
	return list, nil
}
