package traces

import "strings"

// The reasons and quirks that formats share; a format may have its own.
// Options in braces are named as the caller writes them (Options.Settings).
var (
	rejectMalformed = cause{what: "malformed line", hint: "mend the line, or read without {keep-going} to see the first error"}
	rejectNoSubmit  = cause{what: "no submission time", hint: "never read as 0; {keep-going} takes the start where there is one"}
	rejectUnknown   = cause{what: "run time unknown", hint: "−1 or blank: cancelled or never run; nothing admits it"}
	rejectNoEnd     = cause{what: "started, no end", hint: "still running when the record ends; {record-end}TIME ends them there"}
	rejectBefore    = cause{what: "ended before it started", hint: "the two times contradict each other; nothing admits it"}
	rejectNegative  = cause{what: "submitted before the record's zero", hint: "{keep-going} takes zero, as it was waiting then"}
	rejectNoRun     = cause{what: "run time 0", hint: "0 after rounding down; {min-run}1s raises it"}
	rejectNegRun    = cause{what: "run time below 0", hint: "nothing admits it"}
	rejectLongRun   = cause{what: "run time above 126 years", hint: "probably not seconds: {unit}1ms says so"}
	rejectNoGPUs    = cause{what: "no processors", hint: "0, negative or blank; nothing admits it"}
	rejectCPUOnly   = cause{what: "no GPU, CPUs only", hint: "{cpu-only} admits them as jobs on 0 GPUs"}
	rejectShares    = cause{what: "shares of more than one GPU", hint: "only a job on one GPU may ask for less than a whole one; {keep-going} gives it whole ones"}
	rejectTooLarge  = cause{what: "larger than the machine", hint: "the largest asks %d; {gpus}%[1]d admits all"}
	rejectOrder     = cause{what: "out of order beyond the look-ahead", hint: "{sort} admits them"}
	rejectFailed    = cause{what: "failed or killed", hint: "left out on request; without {completed} they are kept"}

	quirkCut         = cause{quirk: true, what: "file damaged or cut short", hint: "what came before it is used"}
	quirkUnsorted    = cause{quirk: true, what: "rows out of order", hint: "put in the order of submission; ties keep the order of the file"}
	quirkNoEstimate  = cause{quirk: true, what: "no estimate", hint: "the run time is taken: estimates are perfect"}
	quirkLowEstimate = cause{quirk: true, what: "estimate below the run time", hint: "raised to the run time"}
	quirkUnixEpoch   = cause{quirk: true, what: "times are seconds since 1970", hint: "the first submission is taken as time 0"}
	quirkDuplicate   = cause{quirk: true, what: "duplicate job number", hint: "named NUMBER@LINE"}
	quirkNoNumber    = cause{quirk: true, what: "no job number", hint: "named @LINE"}
	quirkUnchecked   = cause{quirk: true, what: "job numbers too scattered to look for duplicates", hint: "duplicates may remain; they are only labels"}
	quirkRunning     = cause{quirk: true, what: "still running when the record ends", hint: "the run time is what was recorded of it"}
	quirkFailed      = cause{quirk: true, what: "ended as failed", hint: "kept: it held its GPUs all the same; {completed} leaves it out"}
	quirkKilled      = cause{quirk: true, what: "ended as killed", hint: "kept: it held its GPUs all the same; {completed} leaves it out"}
	quirkShort       = cause{quirk: true, what: "run time below the least", hint: "raised to what {min-run}TIME says"}
	quirkFromStart   = cause{quirk: true, what: "no submission time, start taken", hint: "its wait is not known, and counted as none"}
	quirkFromZero    = cause{quirk: true, what: "submitted before the record's zero", hint: "zero is taken"}
	quirkEarlyStart  = cause{quirk: true, what: "started before it was submitted", hint: "clocks differ; only the length of the run is used"}
	quirkOtherRun    = cause{quirk: true, what: "duration differs from end − start", hint: "end − start is taken"}
	quirkWholeGPUs   = cause{quirk: true, what: "shares of more than one GPU", hint: "each share is given a whole GPU"}
)

// How the options in braces are written as flags of berth trace and as
// settings of berth run.
var (
	asFlags = strings.NewReplacer(
		"{keep-going}", "--keep-going", "{sort}", "--sort", "{cpu-only}", "--cpu-only", "{completed}", "--completed",
		"{record-end}", "--record-end ", "{min-run}", "--min-run ", "{unit}", "--unit ", "{gpus}", "--gpus ",
		"{with}", "--with ", "{gpu-type}", "--gpu-type ", "{as}", "--as ", "{flops}", "--flops ")
	asSettings = strings.NewReplacer(
		"{keep-going}", "--set trace.keep_going=true", "{sort}", "--set trace.sort=true",
		"{cpu-only}", "--set trace.cpu_only=true", "{completed}", "--set trace.completed=true",
		"{record-end}", "--set trace.record_end=", "{min-run}", "--set trace.min_run=", "{unit}", "--set trace.unit=",
		"{gpus}", "--set cluster.gpus=", "{with}", "--set trace.with=", "{gpu-type}", "--set trace.gpu_type=",
		"{as}", "--set trace.format=", "{flops}", "--set trace.flops=")
)

// remedies names the options in a text that has them in braces.
func (o Options) remedies(text string) string {
	if o.Settings {
		return asSettings.Replace(text)
	}
	return asFlags.Replace(text)
}
