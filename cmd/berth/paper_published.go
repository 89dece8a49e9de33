package main

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// readPublished reads a table of the published simulator: a row a trace, policy
// and seed, with a column for each percentage of load from 0 to 130. It returns
// the means over seeds by "trace/policy"; nothing where there is no such file.
func readPublished(path string) (map[string][]float64, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, invalid(fmt.Errorf("%s: %w", path, err))
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		return nil, invalid(fmt.Errorf("%s: %w", path, err))
	}
	const levels = 131
	sums, seeds := map[string][]float64{}, map[string]float64{}
	for i, row := range rows {
		labels := len(row) - levels
		if i == 0 {
			if labels < 2 || row[labels] != "0" || row[len(row)-1] != "130" {
				return nil, invalid(fmt.Errorf("%s:1: columns 0 to 130 after trace, policy and others are accepted", path))
			}
			continue
		}
		key := row[0] + "/" + row[1]
		if sums[key] == nil {
			sums[key] = make([]float64, levels)
		}
		seeds[key]++
		for x := range levels {
			v, err := strconv.ParseFloat(row[labels+x], 64)
			if err != nil {
				return nil, invalid(fmt.Errorf("%s:%d: %q is no percentage", path, i+1, row[labels+x]))
			}
			sums[key][x] += v
		}
	}
	for key, sum := range sums {
		for x := range sum {
			sum[x] /= seeds[key]
		}
	}
	return sums, nil
}
