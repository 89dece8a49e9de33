package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed are the packages of berth that each room may import directly. Arrows
// point one way: a policy never learns about plots, a trace never about
// policies. sim/names, which imports nothing, is open to all.
var allowed = map[string][]string{
	"sim":                {"sim/hardware"},
	"sim/config":         {},
	"sim/names":          {},
	"sim/hardware":       {},
	"sim/metrics":        {"sim", "sim/hardware"},
	"sim/experiment":     {"sim", "sim/hardware", "sim/metrics"},
	"policies":           {"sim", "sim/hardware", "policies/..."},
	"policies/placement": {"sim", "sim/hardware"},
	"policies/plan":      {"sim/hardware", "sim/config"},
	"policies/allocator": {"sim/hardware", "policies/plan"},
	"policies/exec":      {"sim", "sim/hardware"},
	"policies/forecast":  {"sim", "sim/hardware", "policies/plan"},
	"policies/milp":      {"sim/hardware", "policies/plan", "policies/milp/..."},
	"policies/milp/...":  {"policies/milp/..."},
	"policies/plan/...":  {"sim/hardware", "policies/plan"},
	"workloads":          {"sim", "sim/hardware"},
	"traces":             {"sim", "sim/hardware"},
	"traces/...":         {"sim", "sim/hardware", "traces"},
	"plots":              {"sim", "sim/hardware", "sim/metrics", "policies/plan"},
	"plots/report":       {"plots", "sim", "sim/hardware", "sim/metrics"},
	"cmd/berth":          {"..."},
}

func TestImportsPointOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "berth/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		room := strings.TrimPrefix(fields[0], "berth/")
		may, known := allowed[room]
		may = append(slices.Clone(may), "sim/names")
		if !known {
			for pattern, list := range allowed {
				if prefix, ok := strings.CutSuffix(pattern, "/..."); ok && strings.HasPrefix(room, prefix+"/") {
					may, known = append(slices.Clone(list), "sim/names"), true
				}
			}
		}
		if !known {
			t.Errorf("%s is in no room that this test knows", room)
		}
		for _, imported := range fields[1:] {
			target, ours := strings.CutPrefix(imported, "berth/")
			if ours && !slices.ContainsFunc(may, func(p string) bool {
				prefix, tree := strings.CutSuffix(p, "...")
				return p == target || tree && strings.HasPrefix(target, prefix)
			}) {
				t.Errorf("%s imports %s; it may import %v", room, target, may)
			}
		}
	}
}
