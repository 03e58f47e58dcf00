package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	part, err := os.ReadFile(partOf(t, store))
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

// What other readers pass over in silence is an error here, in the index and in the parts.
func TestYAMLIsStrict(t *testing.T) {
	res, store := mustIngest(t, folderOf(t, member{"images/2008_000008.jpg", jpegBytes(8, 8, 1)}))
	if _, err := manifests.Write(store, "m", res.Manifest); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(store.Dir(), "m.yaml"), partOf(t, store)} {
		file := filepath.Base(name)
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(whole)
		line := text[:strings.IndexByte(text, '\n')+1]
		bomb := "a: &a [1,1,1,1,1,1,1,1,1]\n"
		for c := 'b'; c <= 'h'; c++ {
			bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
		}
		changes := map[string]string{
			"a repeated key": strings.Replace(text, line, line+line, 1),
			"an unknown key": strings.Replace(text, line, line+"surprise: 1\n", 1),
			"no document":    "",
			"two documents":  text + "---\n" + text,
			"an alias bomb":  bomb + text,
			"a bare id":      strings.ReplaceAll(text, `"2008_000008"`, "2008_000008"),
		}
		for what, changed := range changes {
			if changed == text {
				continue // the index holds no id
			}
			if err := os.WriteFile(name, []byte(changed), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, _, err := manifests.Read(store, "m"); err == nil {
				t.Errorf("%s: %s was accepted", file, what)
			}
			faults, err := manifests.Check(t.Context(), store, "m", manifests.CheckOptions{})
			if err == nil && len(faults) == 0 {
				t.Errorf("%s: %s: check finds no fault", file, what)
			}
		}
		if err := os.WriteFile(name, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := manifests.Read(store, "m"); err != nil {
		t.Errorf("unchanged: %v", err)
	}
	// Records are a sequence: a mapping of as many keys takes quadratic time to read.
	part, err := os.ReadFile(partOf(t, store))
	if err != nil || !strings.HasPrefix(string(part), "- id: \"2008_000008\"\n") {
		t.Errorf("got %v, %s", err, part)
	}
}

// partOf returns the file of the one part of manifest m.
func partOf(t *testing.T, s *manifests.Store) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.Dir(), "m.d", "0000.*.yaml"))
	if err != nil || len(found) != 1 {
		t.Fatalf("parts: %v, %v", found, err)
	}
	return found[0]
}
