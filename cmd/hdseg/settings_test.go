package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// Every manifest of a build has its settings beside it, why shows them, and a dry run names the digests that they have.
func TestSettingsOfABuild(t *testing.T) {
	_, args := world(t, false)
	out := filepath.Dir(drawn(t))
	index := filepath.Join(out, "horseseg.yaml")
	_, m, _, err := manifests.ReadFile(index)
	try(t, err)
	why := []string{"why", m.Records[0].ID, index}
	r := result[whyResult](t, append(why, "--settings", "--json")...)
	dry := must(t, append(args, "--dry-run")...)
	stages := append([]manifests.Stage{r.Manifest}, r.Lineage...)
	if len(stages) != 3 {
		t.Fatalf("got %d manifests, want those of ingest, split and transfer", len(stages))
	}
	shown, short := must(t, append(why, "--settings")...), must(t, why...)
	for _, s := range stages {
		data, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(s.Settings)))
		if err != nil || manifests.Sum(data) != s.Header.Config || string(data) != s.Header.Settings {
			t.Errorf("%s: settings in %q: %v, with sha256 %s, want %s", s.Name, s.Settings, err, manifests.Sum(data).Short(), s.Header.Config.Short())
		}
		if line := fmt.Sprintf("# config of stage %s: %s\n", s.Header.Stage, s.Header.Config); !strings.Contains(dry, line) {
			t.Errorf("the dry run has no line %q", line)
		}
		firstLine, _, _ := strings.Cut(string(data), "\n")
		if !strings.Contains(short, "settings in "+s.Settings+"\n") || !strings.Contains(shown, "      "+firstLine+"\n") {
			t.Errorf("%s: why does not show %s", s.Name, s.Settings)
		}
	}
	if strings.Contains(short, "    neighbors:") {
		t.Error("why shows settings that were not asked for")
	}
}
