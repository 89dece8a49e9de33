package policies

import (
	"cmp"

	"berth/policies/forecast"
	"berth/policies/plan"
)

// HorizonSettings is a configuration with the defaults of the policy horizon
// filled in, and what has no effect beside the rest cleared. Under equal
// settings a workload and a seed make the same run.
func HorizonSettings(c Config) Config {
	c.fillHorizon()
	if c.Mode != "full" {
		c.NodeLimit = 0
	}
	if c.Boundary != plan.Salvage.String() {
		c.Sigma = 0
	}
	if c.Forecast == "perfect" {
		c.Quantile = 0
	}
	if !c.noisyDemand() {
		c.DemandSettle = 0
	}
	return c
}

// fillHorizon fills in the defaults of the policy horizon.
func (c *Config) fillHorizon() {
	c.Window = cmp.Or(c.Window, plan.DefaultSteps)
	c.Commit = cmp.Or(c.Commit, 1)
	c.Replan = cmp.Or(c.Replan, "event")
	c.Mode = cmp.Or(c.Mode, "fast")
	c.NodeLimit = cmp.Or(c.NodeLimit, defaultNodes)
	c.Budget = cmp.Or(c.Budget, defaultBudget)
	c.Boundary = cmp.Or(c.Boundary, plan.Open.String())
	c.PlanGamma = cmp.Or(c.PlanGamma, c.Gamma)
	c.PlanLambda = cmp.Or(c.PlanLambda, c.Lambda)
	c.Forecast = cmp.Or(c.Forecast, "perfect")
	c.Quantile = cmp.Or(c.Quantile, forecast.DefaultQuantile)
}
