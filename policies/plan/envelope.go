package plan

import "math"

// Envelope is the cheapest legal way for one service to meet a demand: of all
// count curves that obey the swap cap and the maximum, those with the least
// shortfall, and of these the least in every step.
//
// demand and the result are GPUs, one entry a step. The curve changes by at
// most swapCap between steps; 0 or less means no limit. Unless fresh, the step
// before the first held `held` GPUs and the cap counts from there, so that the
// curve stays within held ± swapCap·(t+1): the lower side keeps GPUs that
// cannot be given back in time, the upper side can leave a shortfall.
func Envelope(demand []int, swapCap, limit int, fresh bool, held int) []int {
	n := make([]int, len(demand))
	if swapCap <= 0 || swapCap > math.MaxInt32 {
		swapCap = math.MaxInt32
	}
	reach, floor := limit, 0 // most and least that can be held in the step
	if !fresh {
		reach, floor = held, held
	}
	for t, d := range demand {
		if !fresh || t > 0 {
			reach, floor = min(reach+swapCap, limit), floor-swapCap
		}
		n[t] = max(min(d, reach), floor, 0)
		floor = n[t]
	}
	for t := len(n) - 2; t >= 0; t-- {
		n[t] = max(n[t], n[t+1]-swapCap)
	}
	return n
}

// Gap is how far an objective may be from the optimum, as a share of the best
// proven upper bound.
func Gap(bound, objective float64) float64 {
	return (bound - objective) / max(1, math.Abs(bound))
}
