// Package exec is the policy of a program in any language: berth runs it and
// speaks with it over its standard input and output, a line of JSON each way
// for every instant at which something changed. docs/protocol.md describes the
// messages.
//
// All times are whole nanoseconds since the workload's epoch, sizes are counts
// of GPUs, and sets of GPUs are texts such as "0-7 12".
package exec

// Protocol is the version that berth speaks.
const Protocol = 1

// features are what a program can ask for in its answer to hello.
var features = []string{
	"free",     // instants list the free GPUs
	"preempt",  // the program may preempt
	"services", // the program holds the services, not berth
}
