package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"berth/sim/experiment"
)

// response is what one cell of a study came to, over its seeds.
type response struct {
	cell                                experiment.Cell
	utilization, shortfall, nervousness experiment.Mean
	net, interiorNet                    experiment.Mean // value less the penalty of shortfall
	points                              []studyPoint
}

// responses sums up the points, which stand cell by cell.
func (s *study) responses(cells []experiment.Cell, points []studyPoint) []response {
	out := make([]response, len(cells))
	for i, c := range cells {
		of := points[i*s.seeds : (i+1)*s.seeds]
		mean := func(f func(studyPoint) float64) experiment.Mean {
			xs := make([]float64, len(of))
			for k, r := range of {
				xs[k] = f(r)
			}
			return experiment.MeanOf(xs)
		}
		out[i] = response{
			cell: c, points: of,
			utilization: mean(func(r studyPoint) float64 { return r.report.Utilization }),
			shortfall:   mean(func(r studyPoint) float64 { return r.report.ShortfallGPUHours }),
			nervousness: mean(func(r studyPoint) float64 { return r.nervousness }),
			net:         mean(func(r studyPoint) float64 { return r.report.Value - r.penalty }),
			interiorNet: mean(func(r studyPoint) float64 { return r.value - r.interiorPenalty }),
		}
	}
	return out
}

// write puts tables and figures into the folder, and a summary on the screen.
func (s *study) write(dir *experiment.Dir, cells []experiment.Cell, points []studyPoint) ([]response, error) {
	in := &input{file: s.file, checksums: map[string]string{}}
	m, err := in.manifest([]string{"fifo", "horizon"}, nil)
	if err != nil {
		return nil, err
	}
	for seed := range s.seeds {
		m.Seeds = append(m.Seeds, uint64(seed+1))
	}
	list := s.responses(cells, points)
	hours, track := byHour(list), trackOf(points)
	err = errors.Join(
		dir.WriteFile("horizon.csv", studyCSV(points)),
		dir.WriteFile("timings.csv", timingsCSV(points)),
		dir.WriteJSON("manifest.json", m),
	)
	if len(hours) > 0 {
		err = errors.Join(err, dir.WriteFile("by-hour.csv", byHourCSV(hours)))
	}
	if track != nil {
		err = errors.Join(err, dir.WriteFile("forecast.csv", trackCSV(track)))
	}
	if err != nil {
		return nil, err
	}
	printStudy(s.cmd.OutOrStdout(), list, s.seeds)
	figures := dir.Path("figures")
	return list, errors.Join(s.draw(figures, list), drawByHour(figures, hours), drawTrack(figures, track))
}

// printStudy writes one line a cell.
func printStudy(w io.Writer, list []response, seeds int) {
	fmt.Fprintf(w, "%d seeds; ± is the 95 %% interval of the mean; net value is value less\nthe penalty of shortfall; short is shortfall in GPU-hours\n\n", seeds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "factor\tlevel\tnet value\tbut the last day\tutil. %\tshort\tnervous")
	last := ""
	for _, r := range list {
		factor := r.cell.Factor
		if factor == last {
			factor = ""
		} else if len([]rune(factor)) > 18 {
			factor = string([]rune(factor)[:17]) + "…"
		}
		last = r.cell.Factor
		if referenceOf(r.cell) == bound {
			fmt.Fprintf(t, "%s\t%s\t%.0f ± %.0f\t%.0f ± %.0f\t–\t–\t–\n", factor, r.cell.Level, r.net.Mean, r.net.Half, r.interiorNet.Mean, r.interiorNet.Half)
			continue
		}
		nervous := "–"
		if !math.IsNaN(r.nervousness.Mean) {
			nervous = fmt.Sprintf("%.2f", r.nervousness.Mean)
		}
		fmt.Fprintf(t, "%s\t%s\t%.0f ± %.0f\t%.0f ± %.0f\t%.1f\t%.1f\t%s\n", factor, r.cell.Level,
			r.net.Mean, r.net.Half, r.interiorNet.Mean, r.interiorNet.Half, 100*r.utilization.Mean, r.shortfall.Mean, nervous)
	}
	t.Flush()
}
