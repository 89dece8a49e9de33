package forecast

import (
	"os"
	"testing"
	"time"
	"fmt"

	"berth/sim"
	"berth/traces/requests"
)

func TestTmp3(t *testing.T) {
	g, _ := GPUByName("A100-80")
	th, err := Serving{Model: ModelOf(70), GPU: g}.Throughput()
	t.Log(th, err)
	for _, name := range []string{"llm/AzureLLMInferenceTrace_conv.csv.gz", "llm/AzureLLMInferenceTrace_code.csv.gz", "llm/mooncake_conversation_trace.jsonl.gz"} {
		for _, step := range []sim.Time{10 * time.Second, 60 * time.Second} {
			r, err := requests.Open("../../../shared/data/" + name)
			if err != nil {
				t.Fatal(err)
			}
			s, err := requests.Bin(r, step)
			if err != nil {
				t.Fatal(err)
			}
			load := make([]float64, len(s.Requests))
			for i := range load {
				load[i] = th.Load(s.Context[i], s.Generated[i])
			}
			for _, o := range []ProfileOptions{{}, {Slots: 1, Residuals: 168}, {Slots: 1, Residuals: 168, Level: 0.15}} {
				rows, err := ScoreProfile(load, len(load)/2, 0.9, []int{1, 6}, o)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Println(name, step, o.Slots, len(load))
				WriteTable(os.Stdout, rows)
			p, err := ScoreProvision(load, len(load)/2, Provisioning{0.9, 24, 8, 256, th.GPUs}, o)
			fmt.Println(p, err)
			}
		}
	}
	for _, step := range []sim.Time{10*time.Minute, time.Hour} {
		r, err := requests.OpenRates("../../../shared/data/genai/qps.tar.gz")
		if err != nil {
			t.Fatal(err)
		}
		s, err := requests.BinRates(r, "Generative Requests", 57*time.Second, step)
		fmt.Println(s.Requests, err)
			for _, o := range []ProfileOptions{{}, {Slots: 1, Residuals: 168}} {
		rows, err := ScoreProfile(s.Requests, len(s.Requests)/2, 0.9, []int{1, 6}, o)
		fmt.Println("genai", step, err)
		WriteTable(os.Stdout, rows)
		}
	}
}
