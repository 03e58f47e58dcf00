package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A damaged data set: edit changes the manifest before it is written again, or the files afterwards.
type damage struct {
	name, kind string
	manifest   func(s *manifests.Store, m *manifests.Manifest)
	text       [3]string // file ("" for none), old, new: one replacement in a file, digests above it made good
	files      func(dir string, m *manifests.Manifest)
}

// first returns the first record of a split with a mask of a tier.
func first(m *manifests.Manifest, split manifests.Split, tier manifests.Tier) *manifests.Record {
	for i := range m.Records {
		r := &m.Records[i]
		if _, ok := r.MaskOf(tier); ok && r.Split == split {
			return r
		}
	}
	panic("no such record")
}

// part0 stands for the part of the manifest, in whose name is its digest.
const part0 = "horseseg.d/0000.*.yaml"

func within(dir, p string) string {
	name := filepath.Join(dir, filepath.FromSlash(p))
	if found, err := filepath.Glob(name); err == nil && len(found) == 1 && strings.Contains(p, "*") {
		return found[0]
	}
	return name
}

func flip(name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		panic(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(name, data, 0o666); err != nil {
		panic(err)
	}
}

// drawMask replaces a mask by a picture of other values or another size.
func drawMask(s *manifests.Store, r *manifests.Record, w, h int, v uint8) {
	g := image.NewGray(image.Rect(0, 0, w, h))
	for i := range g.Pix {
		g.Pix[i] = uint8(i) % 2
	}
	g.SetGray(w/2, h/2, color.Gray{Y: v})
	var b bytes.Buffer
	if err := png.Encode(&b, g); err != nil {
		panic(err)
	}
	k := &r.Masks[0]
	var err error
	if k.Path, k.SHA256, err = s.Put("masks", r.ID, "png", b.Bytes()); err != nil {
		panic(err)
	}
}

var damages = []damage{
	{name: "flipped byte in an image", kind: manifests.FaultFileDigest, files: func(d string, m *manifests.Manifest) { flip(within(d, m.Records[0].Image.Path)) }},
	{name: "flipped byte in a mask", kind: manifests.FaultFileDigest, files: func(d string, m *manifests.Manifest) { flip(within(d, first(m, "train", "bbox").Masks[0].Path)) }},
	{name: "renamed image", kind: manifests.FaultFile, files: func(d string, m *manifests.Manifest) {
		os.Rename(within(d, m.Records[1].Image.Path), within(d, m.Records[1].Image.Path)+"x")
	}},
	{name: "missing mask", kind: manifests.FaultFile, files: func(d string, m *manifests.Manifest) { os.Remove(within(d, first(m, "test", "manual").Masks[0].Path)) }},
	{name: "image cut short", kind: manifests.FaultFileDigest, files: func(d string, m *manifests.Manifest) { os.Truncate(within(d, m.Records[2].Image.Path), 99) }},
	{name: "empty mask file", kind: manifests.FaultFileDigest, files: func(d string, m *manifests.Manifest) {
		os.Truncate(within(d, first(m, "train", "label").Masks[0].Path), 0)
	}},
	{name: "another format", kind: manifests.FaultFormat, manifest: func(_ *manifests.Store, m *manifests.Manifest) {
		m.Records[0].Image.Format = map[string]string{"jpeg": "png"}[m.Records[0].Image.Format]
	}},
	{name: "missing part", kind: manifests.FaultPart, files: func(d string, _ *manifests.Manifest) { os.Remove(within(d, part0)) }},
	{name: "renamed part", kind: manifests.FaultPart, files: func(d string, _ *manifests.Manifest) {
		os.Rename(within(d, part0), within(d, "horseseg.d/0001.yaml"))
	}},
	{name: "flipped byte in a part", kind: manifests.FaultPartDigest, files: func(d string, _ *manifests.Manifest) { flip(within(d, part0)) }},
	{name: "lost parent", kind: manifests.FaultParent, files: func(d string, _ *manifests.Manifest) { os.Remove(within(d, "stages/split.yaml")) }},
	{name: "flipped byte in a part of the ingest stage", kind: manifests.FaultPartDigest, files: func(d string, _ *manifests.Manifest) { flip(within(d, "stages/ingest.d/0000.*.yaml")) }},
	{name: "flipped byte in a part of the split stage", kind: manifests.FaultPartDigest, files: func(d string, _ *manifests.Manifest) { flip(within(d, "stages/split.d/0000.*.yaml")) }},
	{name: "flipped byte in the settings", kind: manifests.FaultPartDigest, files: func(d string, _ *manifests.Manifest) { flip(within(d, "horseseg.d/settings.*.yaml")) }},
	{name: "missing settings of the ingest stage", kind: manifests.FaultPart, files: func(d string, _ *manifests.Manifest) { os.Remove(within(d, "stages/ingest.d/settings.*.yaml")) }},
	{name: "missing part of the split stage", kind: manifests.FaultPart, files: func(d string, _ *manifests.Manifest) { os.Remove(within(d, "stages/split.d/0000.*.yaml")) }},
	{name: "a file of no manifest with another line in the sums", kind: manifests.FaultSurplus, files: func(d string, _ *manifests.Manifest) {
		os.WriteFile(within(d, "images/other.png"), []byte("x"), 0o666)
		data, _ := os.ReadFile(within(d, "SHA256SUMS"))
		os.WriteFile(within(d, "SHA256SUMS"), append(data, strings.Repeat("0", 64)+"  images/other.png\n"...), 0o666)
	}},
	{name: "old sums", kind: manifests.FaultSums, files: func(d string, _ *manifests.Manifest) {
		os.WriteFile(within(d, "SHA256SUMS"), []byte(strings.Repeat("0", 64)+"  horseseg.yaml\n"), 0o666)
	}},

	{name: "wrong count of a tier", kind: manifests.FaultCounts, text: [3]string{"horseseg.yaml", "tier: bbox, images: ", "tier: bbox, images: 1"}},
	{name: "wrong number of records", kind: manifests.FaultCounts, text: [3]string{"horseseg.yaml", "\nrecords: ", "\nrecords: 1"}},
	{name: "byte order mark", kind: manifests.FaultCanonical, text: [3]string{"horseseg.yaml", "schema: 1", "\ufeffschema: 1"}},
	{name: "a part with a line end of its own", kind: manifests.FaultCanonical, text: [3]string{part0, "\n", "\r\n"}},
	{name: "another seed than the parent's", kind: manifests.FaultParent, text: [3]string{"horseseg.yaml", "\nseed: ", "\nseed: 9"}},
	{name: "another class than the parent's", kind: manifests.FaultParent, text: [3]string{"horseseg.yaml", "name: horse\n", "name: zebra\n"}},
	{name: "unknown schema", kind: manifests.FaultSchema, text: [3]string{"horseseg.yaml", "schema: 1", "schema: 9"}},
	{name: "unknown key", kind: manifests.FaultUnknownKey, text: [3]string{part0, "source: ", "sauce: "}},
	{name: "id without quotes", kind: manifests.FaultQuotes, text: [3]string{part0, `- id: "2008_000001"`, `- id: 2008_000001`}},
	{name: "duplicate id", kind: manifests.FaultDuplicate, text: [3]string{part0, `- id: "2008_000002"`, `- id: "2008_000001"`}},

	{name: "wrong size of an image", kind: manifests.FaultSize, manifest: func(_ *manifests.Store, m *manifests.Manifest) { m.Records[0].Image.Width++ }},
	{name: "other pixels", kind: manifests.FaultPixels, manifest: func(_ *manifests.Store, m *manifests.Manifest) {
		m.Records[0].Image.Pixels = manifests.Sum([]byte("x"))
	}},
	{name: "mask of another size", kind: manifests.FaultSize, manifest: func(s *manifests.Store, m *manifests.Manifest) {
		drawMask(s, first(m, "train", "manual"), 7, 5, 1)
	}},
	{name: "value 7 in a mask", kind: manifests.FaultDecode, manifest: func(s *manifests.Store, m *manifests.Manifest) {
		r := first(m, "train", "manual")
		drawMask(s, r, r.Image.Width, r.Image.Height, 7)
	}},
	{name: "wrong figure pixels", kind: manifests.FaultMaskCounts, manifest: func(_ *manifests.Store, m *manifests.Manifest) { first(m, "train", "bbox").Masks[0].Figure-- }},
	{name: "wrong void pixels", kind: manifests.FaultMaskCounts, manifest: func(_ *manifests.Store, m *manifests.Manifest) { first(m, "train", "manual").Masks[0].Void++ }},
	{name: "leaked test image", kind: manifests.FaultLeak, manifest: func(_ *manifests.Store, m *manifests.Manifest) {
		first(m, "train", "label").Image = first(m, "test", "manual").Image
	}},
	{name: "leaked test id", kind: manifests.FaultLeak, manifest: func(_ *manifests.Store, m *manifests.Manifest) {
		first(m, "train", "label").ID = first(m, "test", "manual").ID
	}},
	{name: "voted for by a test record", kind: manifests.FaultLeakProvenance, manifest: func(_ *manifests.Store, m *manifests.Manifest) {
		first(m, "train", "bbox").Masks[0].WasDerivedFrom[0] = first(m, "test", "manual").ID
	}},
	{name: "edited provenance: a voter that there is not", kind: manifests.FaultProvenance, manifest: func(_ *manifests.Store, m *manifests.Manifest) {
		first(m, "train", "label").Masks[0].WasDerivedFrom[0] = "2008_999999"
	}},
	{name: "edited provenance: made from another image", kind: manifests.FaultProvenance, manifest: func(_ *manifests.Store, m *manifests.Manifest) {
		k := &first(m, "train", "bbox").Masks[0]
		k.Used = slices.Clone(k.Used)
		for i := range k.Used {
			k.Used[i] = manifests.Sum([]byte("y"))
		}
	}},
	{name: "edited provenance: a transferred mask said to be drawn", kind: manifests.FaultProvenance, manifest: func(_ *manifests.Store, m *manifests.Manifest) {
		first(m, "train", "bbox").Masks[0].WasGeneratedBy = "annotate"
	}},
	{name: "one picture under two ids", kind: manifests.FaultTwice, manifest: func(_ *manifests.Store, m *manifests.Manifest) {
		first(m, "train", "label").Image = first(m, "train", "bbox").Image
	}},
	{name: "no provenance", kind: manifests.FaultProvenance, manifest: func(_ *manifests.Store, m *manifests.Manifest) {
		first(m, "train", "manual").Masks[0].Provenance = manifests.Provenance{}
	}},
	{name: "bbox record without its box", kind: manifests.FaultTier, manifest: func(_ *manifests.Store, m *manifests.Manifest) { first(m, "train", "bbox").Boxes = nil }},
	{name: "test record of another tier", kind: manifests.FaultTestTier, manifest: func(_ *manifests.Store, m *manifests.Manifest) { first(m, "test", "manual").Tier = manifests.Label }},
	{name: "manual record without its mask", kind: manifests.FaultTier, manifest: func(_ *manifests.Store, m *manifests.Manifest) { first(m, "test", "manual").Masks = nil }},
}

// check finds every planted fault of a data set that was built, says so by kind, and ends with exit code 1; it finds none in the set itself.
func TestCheckPlantedFaults(t *testing.T) {
	whole := filepath.Dir(drawn(t))
	if out := must(t, "check", filepath.Join(whole, "horseseg.yaml"), "--deep"); !strings.Contains(out, " 0 faults") {
		t.Fatal(out)
	}
	if len(damages) < 30 {
		t.Fatalf("got %d faults, want at least 30", len(damages))
	}
	found := 0
	for _, d := range damages {
		dir := filepath.Join(t.TempDir(), "out")
		for _, part := range []string{"images", "masks", "stages", "horseseg.d", "horseseg.yaml", "SHA256SUMS"} {
			if st, err := os.Stat(within(whole, part)); err != nil {
				t.Fatal(err)
			} else if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			} else if !st.IsDir() {
				data, err := os.ReadFile(within(whole, part))
				if err != nil || os.WriteFile(within(dir, part), data, 0o666) != nil {
					t.Fatal(part, err)
				}
			} else if err := os.CopyFS(within(dir, part), os.DirFS(within(whole, part))); err != nil {
				t.Fatal(err)
			}
		}
		s, m, _, err := manifests.ReadFile(within(dir, "horseseg.yaml"))
		try(t, err)
		if d.manifest != nil {
			d.manifest(s, m)
			if _, err := manifests.Write(s, "horseseg", m); err != nil {
				t.Fatalf("%s: %v", d.name, err)
			}
		}
		if d.text[0] != "" {
			edited(t, dir, d.text, m)
		}
		if d.files != nil {
			d.files(dir, m)
		}
		check := []string{"check", within(dir, "horseseg.yaml"), "--json"}
		if d.kind == manifests.FaultPixels { // the one that takes decoding
			check = append(check, "--deep")
		}
		stdout, stderr, code := hdseg(t, check...)
		var r checkResult
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			t.Errorf("%s: exit %d: %s", d.name, code, stderr)
			continue
		}
		if code != exitError || !slices.ContainsFunc(r.Faults, func(f manifests.Fault) bool { return f.Kind == d.kind }) {
			t.Errorf("%s: exit %d, got %+v, want %s", d.name, code, r.Faults, d.kind)
			continue
		}
		found++
	}
	t.Logf("%d of %d planted faults found", found, len(damages))
}

// edited makes one replacement; when it is in a part, the index is made to name the new bytes.
func edited(t *testing.T, dir string, text [3]string, m *manifests.Manifest) {
	t.Helper()
	file, from, to := text[0], text[1], text[2]
	if strings.Contains(from, "2008_00000") { // stands for the ids of this world
		from = strings.ReplaceAll(strings.ReplaceAll(from, "2008_000001", m.Records[0].ID), "2008_000002", m.Records[1].ID)
		to = strings.ReplaceAll(to, "2008_000001", m.Records[0].ID)
	}
	replace := func(file, from, to string) (was, now manifests.Digest) {
		old := read(t, within(dir, file))
		data := bytes.Replace(old, []byte(from), []byte(to), 1)
		if bytes.Equal(old, data) {
			t.Fatalf("%s: %q is not in it", file, from)
		}
		try(t, os.WriteFile(within(dir, file), data, 0o666))
		return manifests.Sum(old), manifests.Sum(data)
	}
	was, now := replace(file, from, to)
	if file != "horseseg.yaml" {
		replace("horseseg.yaml", string(was), string(now))
	}
}
