package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

func TestPrintable(t *testing.T) {
	var b bytes.Buffer
	in := "Ann\x1b[31m \u009b1m Ä馬\t\n\xff\u202e"
	if n, err := (printable{&b}).Write([]byte(in)); n != len(in) || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if want := "Ann\\x1b[31m \\u009b1m Ä馬\t\n\\xff\\u202e"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// What a manifest says of a person does not reach the terminal as it is, and no command takes such a name; a choice of nothing is no success; import
// replaces no manifest that was made from another.
func TestNamesAndEmptyChoices(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	blobs(t, dir, 1, 4, 300, 0, 0)
	in := filepath.Join(dir, "horseseg.yaml")
	s, m, _, err := manifests.ReadFile(in)
	try(t, err)
	var train []manifests.Record
	for _, r := range m.Records {
		if r.Split == manifests.Train {
			r.Masks[0].WasAttributedTo = "Ann\x1b[31m"
			train = append(train, r)
		}
	}
	m.Records = train
	if _, err := manifests.WriteListed(s, "horseseg", m); err != nil {
		t.Fatal(err)
	}
	if out := must(t, "why", train[0].ID, in); strings.Contains(out, "\x1b") || !strings.Contains(out, `Ann\x1b[31m`) {
		t.Errorf("why prints %q", out)
	}
	fails := func(want string, args ...string) {
		t.Helper()
		if _, stderr, code := hdseg(t, args...); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d: %s; want %q", args, code, stderr, want)
		}
	}
	at := []string{"--at", "2026-03-04T05:06:07Z"}
	fails("printable characters that show", append(at, "annotate", "import", "-i", in, "--masks", t.TempDir(), "--by", "Ann\x1b[31m", "-o", filepath.Join(dir, "x.yaml"))...)
	to := filepath.Join(t.TempDir(), "to")
	fails("no record of", "export", "--format", "voc", "--splits", "test", "-i", in, "-o", to)
	fails("no record of", "shard", "--splits", "test", "-i", in, "-o", to)
	fails("want manual, bbox, label", "shard", "--tiers", "none", "-i", in, "-o", to)
	fails("want manual, bbox, label", "export", "--format", "voc", "--tiers", "none", "-i", in, "-o", to)
	if _, err := os.Stat(to); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
	if _, err := manifests.WriteListed(s, "other", m); err != nil {
		t.Fatal(err)
	}
	fails("other.yaml: ", append(at, "annotate", "import", "-i", in, "--masks", t.TempDir(), "--by", "Ann", "-o", filepath.Join(dir, "other.yaml"))...)
}

// What the user names, and what went wrong with it, reaches the terminal as text.
func TestErrorsPrintable(t *testing.T) {
	if _, stderr, code := hdseg(t, "check", filepath.Join(t.TempDir(), "a\x1b[31m.yaml")); code != exitError || strings.Contains(stderr, "\x1b") || !strings.Contains(stderr, `a\x1b[31m.yaml`) {
		t.Errorf("exit %d: %q", code, stderr)
	}
}
