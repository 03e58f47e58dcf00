package peer

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Python returns HDSEG_PYTHON, and false, which the test's output says loudly, where it is not set.
func Python(t testing.TB) (string, bool) {
	t.Helper()
	python := os.Getenv("HDSEG_PYTHON")
	if python == "" {
		t.Log("THE PEERS DID NOT RUN: set HDSEG_PYTHON to a Python that has them")
	}
	return python, python != ""
}

// Run runs a Python program and returns its standard output; the test fails with what it says on an
// error.
func Run(t testing.TB, python string, args ...string) string {
	t.Helper()
	var errors strings.Builder
	cmd := exec.Command(python, args...)
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", python, strings.Join(args, " "), err, out, errors.String())
	}
	return string(out)
}

// Shared runs the shared peers' script, prints its lines and returns the processor milliseconds in
// each, or none where there is no Python.
func Shared(t testing.TB, what string, args ...string) (ms []float64) {
	t.Helper()
	python, ok := Python(t)
	if !ok {
		return nil
	}
	script := filepath.Join(Data(t), "..", "peers", "peers.py")
	for line := range strings.Lines(Run(t, python, append([]string{script, what, "--threads", "1"}, args...)...)) {
		t.Log(strings.TrimSpace(line))
		if m := cpuColumn.FindStringSubmatch(line); m != nil {
			v, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			ms = append(ms, v)
		}
	}
	if len(ms) == 0 {
		t.Fatalf("%s %s printed no processor time", script, what)
	}
	return ms
}

var cpuColumn = regexp.MustCompile(`cpu +([0-9.]+) ms`)
