package manifests

import (
	"maps"
	"os/exec"
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
	if err := WriteSums(s, "stages/t", m); err != nil {
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

func TestParseSumsFaults(t *testing.T) {
	good := string(sum(1)) + "  a/b\n"
	for _, bad := range []string{"x  a\n", string(sum(1)) + " a\n", string(sum(1)) + "  ../a\n", string(sum(1)) + "\n", "\n"} {
		if _, err := ParseSums([]byte(good + bad)); err == nil || !strings.Contains(err.Error(), "SHA256SUMS:2:") {
			t.Errorf("%q: got %v, want an error at line 2", bad, err)
		}
	}
}
