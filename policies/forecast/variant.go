package forecast

import "fmt"

// Technique is what training is for.
type Technique uint8

const (
	SFT  Technique = iota // supervised fine-tuning: learns the responses of examples
	DPO                   // direct preference optimization: pairs, against a frozen reference
	RLHF                  // reinforcement learning from human feedback: generates, a reward model scores, a critic learns too
	RLVR                  // reinforcement learning with verifiable rewards: generates, a program scores
	CPT                   // continued pre-training: raw text
)

var techniqueNames = [...]string{"sft", "dpo", "rlhf", "rlvr", "cpt"}

func (t Technique) String() string { return techniqueNames[t] }

// generates reports whether the model writes what it then learns from.
func (t Technique) generates() bool { return t == RLHF || t == RLVR }

// Variant is one of ten ways to train: five techniques, each over all weights
// or over low-rank adapters. LoRA and QLoRA are one strategy here and are told
// apart by Features.BaseBits, 4 for QLoRA, so that ten variants cover all
// fifteen combinations.
type Variant uint8

const (
	FullSFT Variant = iota
	FullDPO
	FullRLHF
	FullRLVR
	FullCPT
	AdapterSFT
	AdapterDPO
	AdapterRLHF
	AdapterRLVR
	AdapterCPT

	numVariants = 10
)

// Technique is the variant's technique.
func (v Variant) Technique() Technique { return Technique(v % 5) }

// Adapter reports whether only low-rank adapters are trained.
func (v Variant) Adapter() bool { return v >= AdapterSFT }

func (v Variant) String() string {
	switch {
	case v >= numVariants:
		return fmt.Sprintf("variant(%d)", uint8(v))
	case v.Adapter():
		return "lora-" + v.Technique().String()
	}
	return "full-" + v.Technique().String()
}

// Variants are all ten.
func Variants() []Variant {
	all := make([]Variant, numVariants)
	for i := range all {
		all[i] = Variant(i)
	}
	return all
}

// Features are the 22 things that a training job states about itself.
type Features struct {
	Variant Variant // 1: technique and strategy
	Params  float64 // 2: size of the model, billions of parameters
	Layers  int     // 3
	Width   int     // 4: of the hidden state

	Samples        int     // 5: examples, pairs, documents or prompts of one epoch
	PromptTokens   float64 // 6: mean tokens of a prompt; of a document for CPT
	ResponseTokens float64 // 7: mean tokens of a response or rollout; 0 for CPT
	SequenceLimit  int     // 8: tokens; longer sequences are cut, shorter padded unless Packed
	Packed         bool    // 9: sequences fill the limit together, without padding
	Epochs         float64 // 10: passes over the samples

	GlobalBatch    int     // 11: sequences of one optimizer step
	MicroBatch     int     // 12: sequences of one pass on one GPU
	Rank           int     // 13: of the adapters; 0 for full training
	BaseBits       int     // 14: bits a frozen weight, 16, 8 or 4 (QLoRA); 16 for full training
	OptimizerBytes float64 // 15: state of the optimizer, bytes a trained parameter: 12 Adam with 32-bit master weights, 4 Adam in 16 bits, 2 Adam in 8 bits
	Recompute      bool    // 16: activations are computed again in the backward pass
	Sharded        bool    // 17: weights, gradients and state are split over the GPUs (ZeRO stage 3, FSDP)

	Rollouts        int     // 18: generated a prompt; RLHF and RLVR only
	RewardParams    float64 // 19: billions, of the reward model and of the critic; RLHF only
	VerifierSeconds float64 // 20: to check one rollout on one processor; RLVR only

	SKU    string // 21: accelerator, a name of GPUs()
	Tenant string // 22: who submits it; known by habit, as to how fast data arrives
}

// check reports the first feature that makes no sense.
func (f *Features) check() error {
	bad := func(name string, value any, accepted string) error {
		return fmt.Errorf("forecast: %s is %v; accepted is %s", name, value, accepted)
	}
	rl := f.Variant.Technique().generates()
	switch {
	case f.Variant >= numVariants:
		return bad("variant", uint8(f.Variant), "0 to 9")
	case f.Samples < 1:
		return bad("samples", f.Samples, "1 and above")
	case !(f.PromptTokens >= 0 && f.ResponseTokens >= 0 && f.PromptTokens+f.ResponseTokens >= 1 && f.PromptTokens+f.ResponseTokens < 1e9):
		return bad("tokens of prompt and response", f.PromptTokens+f.ResponseTokens, "1 to 1e9")
	case f.SequenceLimit < 1:
		return bad("sequence limit", f.SequenceLimit, "1 token and above")
	case !(f.Epochs > 0 && f.Epochs < 1e6):
		return bad("epochs", f.Epochs, "above 0")
	case f.GlobalBatch < 1 || f.MicroBatch < 1:
		return bad("batch", min(f.GlobalBatch, f.MicroBatch), "1 sequence and above")
	case f.Variant.Adapter() && f.Rank < 1:
		return bad("rank of adapters", f.Rank, "1 and above")
	case f.BaseBits != 16 && (!f.Variant.Adapter() || f.BaseBits != 8 && f.BaseBits != 4):
		return bad("bits of the base", f.BaseBits, "16, and with adapters 8 or 4")
	case !(f.OptimizerBytes >= 0 && f.OptimizerBytes <= 64):
		return bad("bytes of optimizer state", f.OptimizerBytes, "0 to 64")
	case rl && f.Rollouts < 1:
		return bad("rollouts", f.Rollouts, "1 and above for RLHF and RLVR")
	case f.Variant.Technique() == RLHF && !(f.RewardParams > 0 && f.RewardParams < 1e5):
		return bad("reward model", f.RewardParams, "above 0 billion parameters for RLHF")
	case !(f.VerifierSeconds >= 0 && f.VerifierSeconds < 1e6):
		return bad("verifier seconds", f.VerifierSeconds, "0 and above")
	}
	return f.model().check()
}

func (f *Features) model() Model { return Model{f.Params, f.Layers, f.Width} }
