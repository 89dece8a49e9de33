// Package forecast estimates what work will need before it runs: duration and
// GPUs of training, of batch inference and of quantization, and the GPUs that
// a real-time service will want over the coming hours. It also spoils
// forecasts on purpose, so that a study can dial their error.
//
// # Parts
//
// Trainer: a physical base (FLOPs and memory from 22 features), times a
// correction that ridge regression learns from the jobs that have completed.
// BatchForecaster does the same for batch inference. Quantize is a table of
// tiers. WeeklyProfile learns traffic by hour of the week. Serving turns
// tokens a second into GPUs. Accuracy is how each is scored on held-out data.
//
// Demand and Durations are what a planning policy is handed: Perfect knows,
// Learned observes, Noisy adds errors to either. A curve of forecast counts is
// not capped; Capped puts it under the swap cap with plan.Envelope, the very
// function that the planner uses, which is why this package imports
// policies/plan.
//
// # Units
//
// Jobs are estimated in hours, GPUs and GiB; model sizes are in billions of
// parameters; lengths and totals are in tokens. Peaks are dense BF16 TFLOPS.
// Profiles count in slots, an hour unless told otherwise, and hold whatever
// quantity they are fed. The interfaces for policies speak sim.Time and GPUs.
//
// # What the accuracy figures mean
//
// No public trace records the features that Trainer reads, nor tokens and
// hardware of batch inference, nor calibration times. These three are scored
// on synthetic jobs (SyntheticTraining, SyntheticBatch, SyntheticQuantization)
// whose generators have structure that the forecasters do not know. The
// figures show that the fit finds such structure and that quantiles cover what
// they promise; they say nothing about real clusters. The penalties of the
// regressions and the size of the hidden effects were settled with a few of
// these samples in view, so that margins over the base are of our choosing. Real-time profiles are
// scored on recorded traffic too, but the longest public record at hand spans
// 22 hours, so the weekly pattern itself is tested on synthetic weeks only.
//
// # Sources
//
// FLOPs: 2 per parameter and token forward, twice that backward, and attention
// 2·layers·width·length a token forward with a causal mask (Kaplan et al.,
// 2020; Chowdhery et al., PaLM, 2022, appendix B). Activations: 34 bytes a
// token, width and layer without attention scores, 2 with recomputation
// (Korthikanti et al., 2022). Training state: Rajbhandari et al., ZeRO, 2020.
// Adapters: Hu et al., LoRA, 2021; Dettmers et al., QLoRA, 2023. GPTQ times:
// Frantar et al., 2022. Data sheets of the makers for the GPUs.
package forecast
