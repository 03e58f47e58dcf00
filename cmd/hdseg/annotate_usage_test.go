package main

import (
	"strings"
	"testing"
)

func TestAnnotateUsage(t *testing.T) {
	out, err := command("annotate", "serve").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "hdseg annotate serve: got 0 arguments, want MANIFEST") {
		t.Errorf("got %v, %s", err, out)
	}
}
