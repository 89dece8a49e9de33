// Package traces reads recorded workloads, one file a format, as a stream of
// jobs in the order of submission.
//
// Open recognises plain, gzip- and zstd-compressed files, and the format, by content.
// What is recorded and cannot run is a reject: counted by reason with its
// first lines in the Report, shown one by one to Options.OnReject. A line that
// is not of the format is an error with file and line, or a reject too when
// Options.KeepGoing is set. What is unusual but usable is a quirk, counted the
// same way.
//
// # Units
//
// One GPU stands for one processor of the record. Times become sim.Time:
// nanoseconds since the trace's epoch, which is the record's own zero where it
// has one and its first submission where it has calendar times
// (Report.Epoch). A record gives no network layout, so jobs are rigid and may
// span link domains.
//
// # Order
//
// A format in the order of submission is streamed through a look-ahead of at
// least 32,768 jobs, inside which stray rows are put in place; a row that is
// further out of place is an error that names the remedy, Options.Sort. That
// and formats without an order pass through a merge sort that holds at most
// Options.SortBuffer jobs and spills the rest to one temporary file. Rows
// submitted at the same instant keep the order of the file.
//
// # Sources
//
// SWF: Parallel Workloads Archive, "The Standard Workload Format", version 2.2.
// Philly: M. Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters
// for DNN Training Workloads", USENIX ATC 2019, as the CSV derived from its
// published log.
package traces
