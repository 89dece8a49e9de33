package main

import (
	"os"
	"os/exec"
	"testing"
)

// need skips a test where a tool is not installed, saying what is then not
// tested; BERTH_REQUIRE_TOOLS, which continuous integration sets, makes that a
// failure.
func need(t *testing.T, tool, without string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err == nil {
		return
	}
	if os.Getenv("BERTH_REQUIRE_TOOLS") != "" {
		t.Fatalf("BERTH_REQUIRE_TOOLS is set and %s is not installed", tool)
	}
	t.Skipf("%s is not installed: %s", tool, without)
}
