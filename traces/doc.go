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
// # Judgement
//
// Most formats turn a row into a record, what the row says, and leave to one
// place what to make of it: times before the record's zero, an end before the
// start, a missing start, end or submission, run times of 0, shares of GPUs,
// gangs, states, duplicate names (record.go, causes.go).
//
// # Clusters and writers
//
// OpenCluster reads lists of nodes as a hardware.Topology. NewWriter writes
// jobs in the formats that Writable names; berth's own CSV keeps every field.
// Filter takes part of any source.
//
// # Sources
//
// SWF: Parallel Workloads Archive, "The Standard Workload Format", version 2.2.
// Philly: M. Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters
// for DNN Training Workloads", USENIX ATC 2019: the published cluster_job_log,
// and the CSV derived from it. Helios: Q. Hu et al., "Characterization and
// Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters", SC
// 2021. Acme: Q. Hu et al., "Characterization of Large Language Model
// Development in the Datacenter", NSDI 2024. PAI: Q. Weng et al., "MLaaS in the
// Wild", NSDI 2022. openb: Q. Weng et al., "Beware of Fragmentation", USENIX
// ATC 2023. DLRM: L. Yang et al., "GPU-Disaggregated Serving for Deep Learning
// Recommendation Models at Scale", NSDI 2025. Spot and GenAI: the descriptions
// beside Alibaba's cluster-trace-v2026-spot-gpu and -GenAI. Gavel: D. Narayanan
// et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
// Workloads", OSDI 2020. Batsim: its documentation of workloads.
package traces
