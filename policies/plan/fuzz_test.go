package plan_test

import (
	"bytes"
	"strings"
	"testing"

	"berth/policies/plan"
)

func FuzzReadProblem(f *testing.F) {
	f.Add([]byte(problemText))
	f.Add([]byte("gpus = 1_000_000\nsteps = 1_000_000"))
	f.Add([]byte("gpus = 4\ndomains = [9223372036854775807, 1]"))
	f.Add([]byte("gpus = 4\nsteps = 1\nalignment = \"scattered\"\n[[job]]\nid = \"a\"\ngpus = 3\nsteps = 1\nheld = \"0 2-3\"\n[[service]]\nid = \"b\"\ndemand = [3]\nheld = \"\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := plan.ReadProblem(bytes.NewReader(data), "f.toml")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.toml:") {
				t.Fatalf("an error without its file: %v", err)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		if p.Steps*len(p.Services) < 1<<16 {
			roundTrip(t, p, plan.NewPlan(p))
		}
	})
}

func FuzzReadPlan(f *testing.F) {
	p, pl := quay()
	var b bytes.Buffer
	if err := plan.WritePlan(&b, p, pl); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"jobs": [{"id": "late", "start": 9223372036854775807, "gpus": "0-3"}]}`))
	f.Add([]byte(`{"jobs": [{"id": "late", "start": 3, "gpus": "1 3-9223372036854775806"}]}`))
	f.Add([]byte(`{"services": [{"id": "chat", "held": ["", "0-99999999999", "5 5", "", "", ""]}]} x`))
	f.Fuzz(func(t *testing.T, data []byte) {
		pl, err := plan.ReadPlan(bytes.NewReader(data), p)
		if err != nil {
			return
		}
		if p.Check(pl) == nil {
			p.Score(pl)
		}
		roundTrip(t, p, pl)
	})
}
