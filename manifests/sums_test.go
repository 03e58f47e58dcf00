package manifests

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stored returns a manifest of two records whose files are in the store.
func stored(t testing.TB, s *Store) *Manifest {
	t.Helper()
	m := handManifest()
	put := func(p *string, d *Digest, dir, stem string) {
		var err error
		if *p, *d, err = s.Put(dir, stem, "bin", []byte(stem)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range m.Records {
		r := &m.Records[i]
		put(&r.Image.Path, &r.Image.SHA256, "images", r.ID)
		for j := range r.Masks {
			put(&r.Masks[j].Path, &r.Masks[j].SHA256, "masks", r.ID+string(r.Masks[j].Tier[:1]))
		}
	}
	if _, err := Write(s, "stages/t", m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSums(t *testing.T) {
	s := testStore(t)
	m := stored(t, s)
	if _, err := WriteListed(s, "stages/t", m); err != nil {
		t.Fatal(err)
	}
	data, err := s.Read(SumsFile, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseSums(data)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Digest{}
	for _, p := range []string{"stages/t.yaml", named(t, s, "stages/t.d/0000.yaml"), named(t, s, "stages/t.d/skipped.yaml"),
		m.Records[0].Image.Path, m.Records[1].Image.Path, m.Records[1].Masks[0].Path, m.Records[1].Masks[1].Path} {
		data, err := s.Read(p, "")
		if err != nil {
			t.Fatal(err)
		}
		want[p] = Sum(data)
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip("there is no sha256sum to check the file with")
	}
	check := func() (string, error) {
		c := exec.Command("sha256sum", "-c", "--strict", SumsFile)
		c.Dir = s.Dir()
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := check(); err != nil {
		t.Errorf("sha256sum: %v\n%s", err, out)
	}
	if err := s.Replace(m.Records[1].Image.Path, []byte("NO")); err != nil {
		t.Fatal(err)
	}
	if out, err := check(); err == nil || !strings.Contains(out, m.Records[1].Image.Path+": FAILED") {
		t.Errorf("a flipped file: sha256sum says %v\n%s", err, out)
	}
}

func listed(t testing.TB, s *Store) map[string]Digest {
	t.Helper()
	data, err := s.Read(SumsFile, "")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := ParseSums(data)
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// What goes with a commit is gone, from the list too; lines of other files stay as long as those are there; a list that was lost or damaged comes again, one in another order
// is put into order.
func TestListedGone(t *testing.T) {
	s := testStore(t)
	m := stored(t, s)
	if _, err := WriteListed(s, "stages/t", m); err != nil {
		t.Fatal(err)
	}
	kept, gone := m.Records[0].Image.Path, m.Records[1].Image.Path
	other := &Manifest{Header: m.Header, Records: m.Records[:1]}
	other.Stage = "other"
	if _, err := WriteListed(s, "other", other, gone); err != nil {
		t.Fatal(err)
	}
	sums := listed(t, s)
	if sums[gone] != "" || s.has(gone) || sums[kept] == "" || sums["stages/t.yaml"] == "" || sums["other.yaml"] == "" || sums[m.Records[1].Masks[0].Path] == "" {
		t.Errorf("got %v", sums)
	}
	for _, odd := range []string{"images/a\nb.jpg", "../out", "masks/a\tb.png"} { // a commit that could not be carried out is none
		if _, err := WriteListed(s, "other", other, odd); err == nil {
			t.Errorf("%q was taken", odd)
		}
	}
	if _, err := OpenStore(s.Dir()); err != nil {
		t.Fatal(err)
	}
	before, err := s.Read(SumsFile, "")
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(before)))
	slices.Reverse(lines)
	for _, damaged := range []string{"", "no list", string(before) + string(sum(1)) + "  ../out\n", strings.Join(lines, ""), string(before)} {
		if err := s.Replace(SumsFile, []byte(damaged)); err != nil {
			t.Fatal(err)
		}
		if _, err := WriteListed(s, "stages/t", m); err != nil {
			t.Fatal(err)
		}
		if listed(t, s)[gone] == "" { // it is named, though it is not there: check says so
			t.Errorf("%s is not listed", gone)
		}
		if _, err := WriteListed(s, "other", other); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Read(SumsFile, ""); err != nil || !bytes.Equal(got, before) {
		t.Errorf("got %s, %v, want %s", got, err, before)
	}
	if _, left := files(t, s.Dir()); left != 0 {
		t.Errorf("%d temporary files are left", left)
	}
}

// Killed between the index and the list, a write is finished by whoever opens the store next.
func TestKilledBeforeList(t *testing.T) {
	s, after := testStore(t), testStore(t)
	if _, err := WriteListed(s, "a", states()[0]); err != nil {
		t.Fatal(err)
	}
	want, err := WriteListed(after, "a", states()[2])
	if err != nil {
		t.Fatal(err)
	}
	journal := ""
	for i, p := range []string{named(t, after, "a.d/0000.yaml"), "a.yaml", SumsFile} {
		data, err := after.Read(p, "")
		if err != nil {
			t.Fatal(err)
		}
		temp := filepath.Join(s.temp(), fmt.Sprint(i))
		if p != SumsFile {
			temp = filepath.Join(s.Dir(), p)
		}
		if err := os.WriteFile(temp, data, 0o644); err != nil {
			t.Fatal(err)
		}
		journal += fmt.Sprintf("%d\t%s\n", i, p)
	}
	if err := os.WriteFile(filepath.Join(s.temp(), journalPrefix+"9"), []byte(journal), 0o644); err != nil {
		t.Fatal(err)
	}
	view, err := ViewStore(s.Dir()) // who only looks leaves it
	if err != nil || listed(t, view)["a.yaml"] == want {
		t.Errorf("a view: %v", err)
	}
	if _, _, err := Locate(filepath.Join(s.Dir(), "a.yaml")); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, s)["a.yaml"]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseSumsFaults(t *testing.T) {
	good := string(sum(1)) + "  a/b\n"
	for _, bad := range []string{"x  a\n", string(sum(1)) + " a\n", string(sum(1)) + "  ../a\n", string(sum(1)) + "\n", "\n"} {
		if _, err := ParseSums([]byte(good + bad)); err == nil || !strings.Contains(err.Error(), "SHA256SUMS:2:") {
			t.Errorf("%q: got %v, want an error at line 2", bad, err)
		}
	}
}
