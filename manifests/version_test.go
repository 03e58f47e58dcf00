package manifests

import (
	"runtime/debug"
	"testing"
)

func TestRevision(t *testing.T) {
	at, dirty, clean := debug.BuildSetting{Key: "vcs.revision", Value: "1f2e"}, debug.BuildSetting{Key: "vcs.modified", Value: "true"}, debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{dirty}, ""},
		{[]debug.BuildSetting{at, clean}, "1f2e"},
		{[]debug.BuildSetting{dirty, at}, "1f2e+"},
	} {
		if got := revision(c.settings); got != c.want {
			t.Errorf("%v: got %q, want %q", c.settings, got, c.want)
		}
	}
}
