package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// edit changes a stored file by hand: the first occurrence of old becomes new.
func edit(t testing.TB, s *Store, p, old, new string) {
	t.Helper()
	name := filepath.Join(s.Dir(), named(t, s, p))
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q", p, old)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(data), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// seal makes the index name the bytes that the parts have now, as someone does who edits a manifest on purpose.
func seal(t testing.TB, s *Store, name string) {
	t.Helper()
	data, err := s.Read(name+".yaml", "")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for i, l := range lines {
		_, rest, ok := strings.Cut(l, `{path: "`)
		p, _, _ := strings.Cut(rest, `"`)
		if !ok {
			continue
		}
		part, err := s.Read(p, "")
		if os.IsNotExist(err) {
			continue
		}
		head, _, _ := strings.Cut(l, `sha256: "`)
		lines[i] = fmt.Sprintf("%ssha256: %q}\n", head, string(Sum(part)))
	}
	if err := s.Replace(name+".yaml", []byte(strings.Join(lines, ""))); err != nil {
		t.Fatal(err)
	}
}

// t0 has the name that earlier versions gave it, so that all of this holds for their manifests, too.
const t0 = "stages/t.d/0000.yaml"

// strictCases are edits of the manifest in layout_test.go, and what Read says to each. Line numbers are those of
// handPart and handIndex.
var strictCases = []struct {
	file, old, new string
	kind           string
	want           string // the start of the message
}{
	{t0, "  source: voc2012\n", "  sauce: voc2012\n", FaultUnknownKey, t0 + `:2: key "sauce" is not known`},
	{t0, "  split: train\n", "  split: train\n  split: train\n", FaultRepeatedKey, t0 + `:4: key "split" is repeated`},
	{t0, "    width: 4\n", "", FaultMissingKey, t0 + `:6: key "width" is missing`},
	{t0, `id: "2008_000008"`, `id: 2008_000008`, FaultQuotes, t0 + `:1: "2008_000008" needs quotes`},
	{t0, `id: "no"`, `id: no`, FaultQuotes, t0 + `:12: "no" needs quotes`},
	{t0, `["2008_000008", "x"]`, `["2008_000008", x]`, FaultQuotes, t0 + `:47: "x" needs quotes`},
	{t0, `sha256: "1234567890`, `sha256: 1234567890`, FaultQuotes, t0 + `:7: "1234567890`},
	{t0, `status: empty`, `status: off`, FaultQuotes, t0 + `:43: "off" needs quotes`},
	{t0, `status: empty`, `status: 12:30:45`, FaultQuotes, t0 + `:43: "12:30:45" needs quotes`},
	{t0, `status: empty`, `status: ~`, FaultQuotes, t0 + `:43: nothing needs quotes`},
	{t0, `status: empty`, `status:`, FaultQuotes, t0 + `:43: nothing needs quotes`},
	{t0, `status: empty`, `status: [empty]`, FaultSyntax, t0 + `:43: got a list, want a string`},
	{t0, `status: empty`, `status: !!str empty`, FaultSyntax, t0 + `:43: tag !!str`},
	{t0, `status: empty`, `status: &a empty`, FaultSyntax, t0 + `:43: anchors and aliases`},
	{t0, `    width: 4`, `    width: "4"`, FaultSyntax, t0 + `:8: got "4", want an integer`},
	{t0, `    width: 4`, `    width: 4.0`, FaultSyntax, t0 + `:8: got "4.0", want an integer`},
	{t0, `    width: 4`, `    width: 04`, FaultSyntax, t0 + `:8: got "04", want an integer`},
	{t0, `    width: 4`, `    width: 99999999999999999999`, FaultSyntax, t0 + `:8: got "99999999999999999999", want an integer`},
	{t0, `    width: 4`, `    width: 0`, FaultValue, t0 + `:8: image.width: got 0 x 3 pixels`},
	{t0, `split: train`, `split: trian`, FaultValue, t0 + `:3: split: got "trian"`},
	{t0, `tier: manual`, `tier: handmade`, FaultValue, t0 + `:4: tier: tier "handmade"`},
	{t0, `orientation: 6`, `orientation: 9`, FaultValue, t0 + `:23: image.orientation: got 9`},
	{t0, `images/a b.jpg`, `../a b.jpg`, FaultPath, t0 + `:6: image.path: "../a b.jpg"`},
	{t0, `images/a b.jpg`, `/etc/passwd`, FaultPath, t0 + `:6: image.path: "/etc/passwd"`},
	{t0, `images/a b.jpg`, `images//b.jpg`, FaultPath, t0 + `:6: image.path:`},
	{t0, `images/a b.jpg`, `.git/hooks/pre-commit`, FaultPath, t0 + `:6: image.path: ".git/hooks/pre-commit": want a path in images/ or masks/`},
	{t0, `masks/m0.png`, `SHA256SUMS`, FaultPath, t0 + `:32: masks.0.path: "SHA256SUMS": want a path in images/ or masks/`},
	{t0, `sha256: "1234`, `sha256: "ABCD`, FaultValue, t0 + `:7: image.sha256: digest`},
	{t0, `xMax: 4`, `xMax: 5`, FaultBox, t0 + `:27: boxes.0: x 0..5`},
	{t0, `xMax: 2`, `xMax: 1`, FaultBox, t0 + `:28: boxes.1: x 1..1`},
	{t0, `xMin: 1`, `xMin: 1, xMin: 1`, FaultRepeatedKey, t0 + `:28: key "xMin" is repeated`},
	{t0, `figure: 5`, `figure: 13`, FaultValue, t0 + `:34: masks.0.figure: figure 13 + void 0 pixels`},
	{t0, `void: 0`, `void: -1`, FaultValue, t0 + `:34: masks.0.figure: figure 5 + void -1 pixels`},
	{t0, `quality: 0.00001`, `quality: 1.5`, FaultValue, t0 + `:42: masks.1.quality: got 1.5`},
	{t0, `quality: 0.00001`, `quality: .nan`, FaultSyntax, t0 + `:42: got ".nan", want a number`},
	{t0, `2026-01-31T`, `2026-01-32T`, FaultValue, t0 + `:45: masks.1.generatedAtTime:`},
	{t0, `tier: "external:sam.2"`, `tier: bbox`, FaultCounts, "stages/t.yaml: counts:"}, // sorted: revision 0, 2
	{t0, `tier: "external:sam.2"` + "\n      revision: 2", "tier: bbox\n      revision: 0", FaultOrder, t0 + `:36: masks.1: bbox revision 0 follows bbox revision 0`},
	{t0, `id: "no"`, `id: "2007_1"`, "", ""},
	{t0, `split: test`, `split: train`, FaultCounts, "stages/t.yaml: counts:"},
	{t0, "id: \"no\"\n  synset: n02374451\n  split: test", "id: \"2007_1\"\n  split: train", FaultOrder, t0 + `:12: id: not sorted`},
	{t0, "id: \"no\"\n  synset: n02374451\n  split: test", "id: \"2008_000008\"\n  split: train", FaultDuplicate, t0 + `:12: id: twice in split train`},
	{t0, "- id: \"2008_000008\"", "---\n- id: \"2008_000008\"", "", ""},
	{t0, "- id: \"no\"", "---\n- id: \"no\"", FaultSyntax, t0 + `:12: a second document`},
	{t0, handSlice(0, 11), "", FaultPartCount, t0 + `: got 1 records, want 2`},
	{t0, "", "\t", FaultSyntax, t0 + `:1: found character`},
	{t0, "\n", "\r\n", "", ""},
	{"stages/t.d/skipped.yaml", `reason: "no"`, `reason: ""`, FaultValue, `stages/t.d/skipped.yaml:1: reason: empty`},
	{"stages/t.d/skipped.yaml", `record: "n1_2"`, `record: n1_2`, FaultQuotes, `stages/t.d/skipped.yaml:1: "n1_2" needs quotes`},
	{"stages/t.yaml", "schema: 1", "schema: 2", FaultSchema, "stages/t.yaml:1: schema: got version 2, want 1"},
	{"stages/t.yaml", "schema: 1\n", "", FaultMissingKey, `stages/t.yaml:1: key "schema" is missing`},
	{"stages/t.yaml", "seed: 7", "seed: -7", FaultSyntax, `stages/t.yaml:12: got "-7", want an integer from 0 on`},
	{"stages/t.yaml", "seed: 7", "seeds: 7", FaultUnknownKey, `stages/t.yaml:12: key "seeds" is not known`},
	{"stages/t.yaml", "dataset: horseseg", `dataset: ""`, FaultValue, `stages/t.yaml:3: dataset: empty`},
	{"stages/t.yaml", `name: "stages/t"`, `name: "stages/u"`, FaultPath, `stages/t.yaml:19: parts.0.path: "stages/t.d/0000.yaml": want a path in stages/u.d/`},
	{"stages/t.yaml", `records: 2`, `records: 3`, FaultCounts, `stages/t.yaml: records: got 3, want 2`},
	{"stages/t.yaml", `tier: manual, images: 1`, `tier: manual, images: 2`, FaultCounts, `stages/t.yaml: counts: got`},
	{"stages/t.yaml", `0000.yaml", records: 2`, `0000.yaml", records: 9`, FaultPartCount, t0 + `: got 2 records, want 9`},
	{"stages/t.yaml", `0000.yaml", records: 2`, `0000.yaml", records: 5001`, FaultValue, `stages/t.yaml:19: parts.0.records: got 5001`},
	{"stages/t.yaml", `0000.yaml`, `0001.yaml`, FaultPart, `stages/t.d/0001.yaml: the part is missing`},
	{"stages/t.yaml", `stages/t.d/0000.yaml`, `../0000.yaml`, FaultPath, `stages/t.yaml:19: parts.0.path: "../0000.yaml"`},
	{"stages/t.yaml", `stages/t.d/0000.yaml`, `images/0000.yaml`, FaultPath, `stages/t.yaml:19: parts.0.path: "images/0000.yaml": want a path in stages/t.d/`},
	{"stages/t.yaml", "dataset: horseseg\n", "dataset: horseseg\n# by hand\n", "", ""},
}

// handSlice returns lines a..b-1 of handPart.
func handSlice(a, b int) string {
	return strings.Replace(strings.Join(strings.SplitAfter(handPart, "\n")[a:b], ""), `"D"`, fmt.Sprintf("%q", string(handDigest)), -1)
}

func TestReadIsStrict(t *testing.T) {
	t.Parallel()
	for _, c := range strictCases {
		s := testStore(t)
		if _, err := Write(s, "stages/t", handManifest()); err != nil {
			t.Fatal(err)
		}
		numbered(t, s, "stages/t")
		edit(t, s, c.file, c.old, c.new)
		seal(t, s, "stages/t")
		_, _, faults, err := read(s, "stages/t", false)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = Read(s, "stages/t")
		if c.kind == "" {
			if err != nil {
				t.Errorf("%q -> %q: got %v, want it read", c.old, c.new, err)
			}
			continue
		}
		ok := slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind == c.kind && strings.HasPrefix(f.Message, c.want) })
		if !ok || err == nil {
			t.Errorf("%q -> %q:\ngot  %v\nwant %s %s", c.old, c.new, faults, c.kind, c.want)
		}
	}
}

func TestReadRefusesChangedParts(t *testing.T) {
	s := testStore(t)
	if _, err := Write(s, "stages/t", handManifest()); err != nil {
		t.Fatal(err)
	}
	edit(t, s, t0, "figure: 5", "figure: 6")
	if _, _, err := Read(s, "stages/t"); err == nil || !strings.Contains(err.Error(), named(t, s, t0)+": the bytes changed: got sha256 ") {
		t.Errorf("got %v", err)
	}
	for _, data := range []string{"", "\n", "- \n", "null\n", "a: [\n", "\x00", "- {}\n"} {
		if err := s.Replace("stages/t.yaml", []byte(data)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(s, "stages/t"); err == nil || !strings.Contains(err.Error(), "stages/t.yaml:1: ") {
			t.Errorf("an index %q: got %v", data, err)
		}
		if _, _, _, err := ReadFile(filepath.Join(s.Dir(), "stages/t.yaml")); err == nil {
			t.Errorf("an index %q: ReadFile reads it", data)
		}
	}
	if _, _, err := Read(s, "nothing"); !os.IsNotExist(err) {
		t.Errorf("got %v, want a file that is not there", err)
	}
	if _, _, _, err := ReadFile(filepath.Join(s.Dir(), "no", "such.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want a file that is not there", err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), "no")); !os.IsNotExist(err) {
		t.Error("ReadFile made a folder")
	}
}

func TestReadFileOfARenamedIndex(t *testing.T) {
	s := testStore(t)
	if _, err := Write(s, "a", sample(2, 1)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.Dir(), "a.yaml"), filepath.Join(s.Dir(), "b.yaml")); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := ReadFile(filepath.Join(s.Dir(), "b.yaml")); err == nil || !strings.Contains(err.Error(), `it holds manifest "a"`) {
		t.Errorf("got %v", err)
	}
}

func TestReadReportsManyFaultsAtOnce(t *testing.T) {
	s := testStore(t)
	m := sample(40, 1)
	if _, err := Write(s, "a", m); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(s.Dir(), named(t, s, "a.d/0000.yaml"))
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(data), "format: jpeg", "format: \"\"")), 0o644); err != nil {
		t.Fatal(err)
	}
	seal(t, s, "a")
	_, _, err = Read(s, "a")
	if err == nil || strings.Count(err.Error(), "\n") != 10 || !strings.HasSuffix(err.Error(), "and 30 more") {
		t.Errorf("got %v, want ten faults and 30 more", err)
	}
}

func TestWriteRefusesWhatReadWould(t *testing.T) {
	for want, spoil := range map[string]func(*Manifest){
		"dataset: empty":                            func(m *Manifest) { m.Dataset = "" },
		"2008_000008: image.sha256: digest \"\"":    func(m *Manifest) { m.Records[0].Image.SHA256 = "" },
		"no: image.path: \"a\\\\b\"":                func(m *Manifest) { m.Records[1].Image.Path = `a\b` },
		"no: image.origin: \"\\xff\" is not UTF-8":  func(m *Manifest) { m.Records[1].Image.Origin = "\xff" },
		"a\nb: id: \"a\\nb\": want UTF-8":           func(m *Manifest) { m.Records[1].ID = "a\nb" },
		"2008_000008: id: twice in split train":     func(m *Manifest) { m.Records[1].ID, m.Records[1].Split = "2008_000008", Train },
		"no: masks.1: bbox revision 0 follows bbox": func(m *Manifest) { m.Records[1].Masks[1] = m.Records[1].Masks[0] },
		"no: masks.1.tier: got none":                func(m *Manifest) { m.Records[1].Masks[1].Tier = None },
	} {
		s, m := testStore(t), handManifest()
		spoil(m)
		if _, err := Write(s, "a", m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if files, err := os.ReadDir(s.Dir()); err != nil || len(files) > 0 {
			t.Errorf("%s: got %v in the store, %v", want, files, err)
		}
	}
	for _, name := range []string{"", "../a", "/a", "a/", "a//b", `a\b`} {
		if _, err := Write(testStore(t), name, handManifest()); err == nil {
			t.Errorf("name %q is accepted", name)
		}
	}
}
