// Package requests reads recorded real-time traffic: single requests to
// language models, and request rates by container. It is what the profiles of
// package forecast are fitted on and scored against.
//
// Open and OpenRates recognise plain, gzip- and zstd-compressed and (rates)
// tar-archived files by content, and stream: no file is held in memory. What is not of the
// format is an error of type *traces.InputError with file and line, and what
// is accepted.
//
// # Units
//
// Times are sim.Time: nanoseconds since the trace's epoch, which is the first
// request where the record has calendar or Unix times, and the record's own
// zero where it has one (Mooncake, BurstGPT). Rows must be in the order of time; equal
// times are accepted. Lengths are in tokens, rates in requests a second.
//
// # Sources
//
// Azure: AzurePublicDataset, AzureLLMInferenceTrace_conv and _code, 2023: CSV
// with TIMESTAMP (no zone, up to nine decimals), ContextTokens and
// GeneratedTokens.
//
// Mooncake: FAST '25 release, one JSON object a line: timestamp in
// milliseconds, input_length and output_length in tokens; hash_ids, the prefix
// cache blocks, are ignored.
//
// BurstGPT: Y. Wang et al., "BurstGPT: A Real-world Workload Dataset to Optimize
// LLM Serving Systems", 2024: CSV with Timestamp in seconds since midnight of
// the first day in the local zone, Request tokens and Response tokens, which
// are 0 for a request that failed.
//
// GenAI: Alibaba cluster-trace-v2026-GenAI, qps.csv inside a tar.gz: Unix
// times in seconds, anonymised by the publisher, value in requests a second
// over an interval that the record does not state (rows are 57 s apart),
// container_ip and request_type. A container without requests has no row.
package requests
