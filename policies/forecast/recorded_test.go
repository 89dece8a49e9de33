package forecast

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"berth/sim"
	"berth/traces/requests"
)

// data finds a recorded trace, and skips the test where there is none.
func data(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("BERTH_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("recorded trace not found: %v (set BERTH_DATA to the folder of traces)", err)
	}
	return path
}

// Language-model traffic spans an hour, so a slot is ten seconds, a scaled
// "week" of 168 slots 28 minutes, and the second half hour is forecast from
// the first. There is no reason why such a week should repeat: flat is a
// profile of one slot, the level alone. The load is GPUs of a 70-billion model
// on A100-80 kept busy.
func TestRecordedRequests(t *testing.T) {
	g, err := GPUByName("A100-80")
	if err != nil {
		t.Fatal(err)
	}
	serving, err := Serving{Model: ModelOf(70), GPU: g}.Throughput()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"AzureLLMInferenceTrace_conv.csv", "AzureLLMInferenceTrace_code.csv", "mooncake_conversation_trace.jsonl"} {
		t.Run(name, func(t *testing.T) {
			load := recordedLoad(t, "llm/"+name+".gz", 10*time.Second, serving)
			profile := score(t, "scaled week", load, 0.9, ProfileOptions{})
			flat := score(t, "flat", load, 0.9, ProfileOptions{Slots: 1, Residuals: 168})
			if low, high := 0.8, 0.97; flat[0].Coverage < low || flat[0].Coverage > high {
				t.Errorf("quantile 0.9 covers %.3f", flat[0].Coverage)
			}
			if flat[0].MAPE > profile[0].MAPE*1.1 {
				t.Errorf("the flat profile has MAPE %.3f, the scaled week %.3f, though nothing repeats", flat[0].MAPE, profile[0].MAPE)
			}
			// Ten times the traffic, so that whole replicas of four GPUs are
			// not all that is seen.
			p, err := ScoreProvision(load, len(load)/2, Provisioning{
				Quantile: 0.9, Window: 24, SwapCap: 8, Max: 4096, GPUs: func(v float64) int { return serving.GPUs(10 * v) },
			}, ProfileOptions{Slots: 1, Residuals: 168})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("tenfold traffic, swap cap 8: %v", p)
		})
	}
}

func recordedLoad(t *testing.T, name string, step sim.Time, serving Throughput) []float64 {
	t.Helper()
	r, err := requests.Open(data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := requests.Bin(r, step)
	if err != nil {
		t.Fatal(err)
	}
	load := make([]float64, len(s.Requests))
	for i := range load {
		load[i] = serving.Load(s.Context[i], s.Generated[i])
	}
	return load
}

// score logs the accuracy on the second half of a series, one and six ahead.
func score(t *testing.T, what string, series []float64, q float64, o ProfileOptions) []Scored {
	t.Helper()
	rows, err := ScoreProfile(series, len(series)/2, q, []int{1, 6}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, %d slots", what, len(series))
	table(t, rows)
	return rows
}

// Image-generation rates span 22 hours, less than a day, and die away in the
// second half: even a profile by day has nothing to repeat. The figures are
// logged and held to nothing but being there.
func TestRecordedRates(t *testing.T) {
	for _, kind := range []string{"Generative Requests", "API Requests"} {
		r, err := requests.OpenRates(data(t, "genai/qps.tar.gz"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := requests.BinRates(r, kind, 57*time.Second, 10*time.Minute)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Requests) != 133 {
			t.Fatalf("%d slots of ten minutes", len(s.Requests))
		}
		t.Log(kind)
		score(t, "week of ten-minute slots", s.Requests, 0.9, ProfileOptions{Slots: 1008, DaySlots: 144})
		score(t, "flat", s.Requests, 0.9, ProfileOptions{Slots: 1, Residuals: 144})
	}
}
