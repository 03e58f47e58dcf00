package ingest

import (
	"os"
	"path/filepath"
	"testing"

	"gopkg.in/yaml.v3"

	"hdseg/manifests"
)

// yamlTraps are names that some reader of YAML takes for numbers, times, truth values or nothing.
var yamlTraps = []string{"2008_000008", "1e5", "0123", "089", "no", "on", "2024-01-01", "null", "true", "1.5", "0x1F", "1_0"}

// Ids come out of a manifest as they went in, whatever they look like, for this reader and for one that guesses types.
// Row "12:30:45" and "~" cannot be ids: ':' and '~' are percent-coded.
func TestYAMLKeepsIds(t *testing.T) {
	var files []member
	for i, id := range append([]string{"12:30:45", "~"}, yamlTraps...) {
		files = append(files, member{"images/" + id + ".jpg", jpegBytes(8, 8, i+1)})
	}
	res, store := mustIngest(t, folderOf(t, files...))
	if _, err := manifests.Write(store, "m", res.Manifest); err != nil {
		t.Fatal(err)
	}
	m, _, err := manifests.Read(store, "m")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"12%3A30%3A45": true, "%7E": true}
	for _, id := range yamlTraps {
		want[id] = true
	}
	for _, r := range m.Records {
		if !want[r.ID] {
			t.Errorf("got id %q", r.ID)
		}
		delete(want, r.ID)
	}
	if len(want) > 0 {
		t.Errorf("lost %v", want)
	}
	parts, err := filepath.Glob(filepath.Join(store.Dir(), "m.d", "0000.*.yaml"))
	if err != nil || len(parts) != 1 {
		t.Fatalf("parts: %v, %v", parts, err)
	}
	part, err := os.ReadFile(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	var guessed []map[string]any
	if err := yaml.Unmarshal(part, &guessed); err != nil {
		t.Fatal(err)
	}
	for i, r := range guessed {
		if id, ok := r["id"].(string); !ok || id != m.Records[i].ID {
			t.Errorf("a reader that guesses types gets %v (%T), want %q", r["id"], r["id"], m.Records[i].ID)
		}
	}
	if len(guessed) != len(m.Records) {
		t.Errorf("got %d records, want %d", len(guessed), len(m.Records))
	}
}
