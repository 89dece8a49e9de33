// Package sim is the vocabulary of the simulator and its engine: jobs and
// services, a clock, an event queue, the run loop, and the hooks by which a
// policy decides and an observer records.
//
// Time is an integer number of nanoseconds since the workload's epoch.
// Intervals are half-open: a job that ends at t has released its GPUs before
// one starts at t. All events of one instant are applied in a fixed order
// (releases, arrivals, demand changes, timers), then the policy decides once.
package sim
