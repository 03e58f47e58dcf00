package main

import (
	"os/exec"
	"testing"
)

// What is quoted, a shell takes for the same argument.
func TestQuotedIsOneArgument(t *testing.T) {
	if got := quoted("manual,bbox@0.25"); got != "manual,bbox@0.25" {
		t.Errorf("got %s, want it as it is", got)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here: quoting was not tried")
	}
	for _, arg := range []string{"manual;manual,bbox", "", "it's $HOME", "a\nb", `c:\x "y"`, "*", "train.lambdas=[0, 1]", "-x", "ü"} {
		out, err := exec.Command(sh, "-c", "printf %s "+quoted(arg)).Output()
		if err != nil || string(out) != arg {
			t.Errorf("%q: a shell gets %q, %v", arg, out, err)
		}
	}
}
