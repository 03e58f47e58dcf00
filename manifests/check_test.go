package manifests

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A small world: 4 x 3 images; horseseg has records a (drawn), b (box, transferred from a), c (label, from a and e),
// e (drawn, and an external mask) to train and y, z (drawn) to test.
type planted struct {
	t testing.TB
	s *Store
	m *Manifest
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// picture is an image whose pixels are told by seed.
func picture(t testing.TB, w, h int, seed uint8) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		m.SetNRGBA(i%w, i/w, color.NRGBA{seed, uint8(i), 7, 255})
	}
	return pngOf(t, m)
}

// maskOf is a mask that begins with the given values.
func maskOf(t testing.TB, w, h int, values ...uint8) []byte {
	m := image.NewGray(image.Rect(0, 0, w, h))
	copy(m.Pix, values)
	return pngOf(t, m)
}

func pixelsOf(data []byte) (int, int, Digest, error) {
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return 0, 0, "", err
	}
	var rgb []byte
	b := m.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			c := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
			rgb = append(rgb, c.R, c.G, c.B)
		}
	}
	return b.Dx(), b.Dy(), Sum(rgb), nil
}

func pngHooks(deep bool) CheckOptions {
	return CheckOptions{
		Workers: 3, Deep: deep,
		Size: func(data []byte, o int) (int, int, error) {
			c, err := png.DecodeConfig(bytes.NewReader(data))
			if o > 4 {
				return c.Height, c.Width, err
			}
			return c.Width, c.Height, err
		},
		Decode: func(data []byte, o int) (int, int, Digest, error) {
			w, h, d, err := pixelsOf(data)
			if o > 4 {
				w, h = h, w
			}
			return w, h, d, err
		},
		DecodeMask: func(data []byte) (w, h, ground, figure, void int, err error) {
			m, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				return 0, 0, 0, 0, 0, err
			}
			g := m.(*image.Gray)
			for _, v := range g.Pix {
				switch v {
				case 0:
					ground++
				case 1:
					figure++
				case 255:
					void++
				}
			}
			return g.Rect.Dx(), g.Rect.Dy(), ground, figure, void, nil
		},
	}
}

func (p *planted) put(dir, stem string, data []byte) (string, Digest) {
	p.t.Helper()
	at, d, err := p.s.Put(dir, stem, "png", data)
	if err != nil {
		p.t.Fatal(err)
	}
	return at, d
}

func (p *planted) setImage(r *Record, data []byte) {
	p.t.Helper()
	r.Image.Path, r.Image.SHA256 = p.put("images", r.ID, data)
	var err error
	if r.Image.Width, r.Image.Height, r.Image.Pixels, err = pixelsOf(data); err != nil {
		p.t.Fatal(err)
	}
}

func (p *planted) setMask(k *Mask, id string, data []byte) {
	k.Path, k.SHA256 = p.put("masks", id, data)
}

func newPlanted(t testing.TB) *planted {
	t.Helper()
	p := &planted{t, testStore(t), &Manifest{Header: Header{Dataset: "horseseg", Stage: "ingest", Tool: "hdseg", Version: "1"}}}
	for i, id := range []string{"a", "b", "c", "e", "y", "z"} {
		r := Record{ID: id, Source: "folder", Split: Train, Tier: Manual}
		if i > 3 {
			r.Split = Test
		}
		r.Image.Format, r.Image.Orientation = "png", 1
		p.setImage(&r, picture(t, 4, 3, uint8(i)))
		k := Mask{Tier: Manual, Figure: 2, Void: 1, Provenance: Provenance{WasGeneratedBy: "ingest/folder", Used: []Digest{r.Image.SHA256}, WasAttributedTo: "Ann"}}
		p.setMask(&k, id, maskOf(t, 4, 3, 1, 1, 255))
		voted := func(tier Tier, from ...string) {
			r.Tier, k.Tier, k.WasGeneratedBy, k.Quality = tier, tier, TransferActivity+string(tier), 0.5
			k.WasDerivedFrom, k.WasAttributedTo = from, "hdseg@1"
		}
		switch id {
		case "b":
			r.Boxes = []Box{{0, 0, 3, 2}}
			voted(BBox, "a")
		case "c":
			voted(Label, "e", "a")
		case "e":
			x := k
			x.Tier, x.WasGeneratedBy, x.WasAttributedTo = "external:sam", "import", "sam@2"
			r.Masks = []Mask{x}
		}
		r.Masks = append(r.Masks, k)
		p.m.Records = append(p.m.Records, r)
	}
	parent, err := Write(p.s, "stages/ingest", p.m)
	if err != nil {
		t.Fatal(err)
	}
	p.m.Stage, p.m.Parent = "split", parent
	if p.m.Parent, err = Write(p.s, "stages/split", p.m); err != nil {
		t.Fatal(err)
	}
	p.m.Stage = "transfer"
	p.m.Skipped = []Skip{{"q", "corrupt_image", "it is"}}
	return p
}

func (p *planted) record(id string) *Record {
	i := slices.IndexFunc(p.m.Records, func(r Record) bool { return r.ID == id })
	return &p.m.Records[i]
}

func (p *planted) file(path string) string {
	if strings.HasSuffix(path, ".yaml") {
		path = named(p.t, p.s, path)
	}
	return filepath.Join(p.s.Dir(), filepath.FromSlash(path))
}

func (p *planted) write() {
	p.t.Helper()
	if _, err := WriteListed(p.s, "horseseg", p.m); err != nil {
		p.t.Fatal(err)
	}
}

// edited changes a written file; its digest is put right if sealed.
func (p *planted) edited(path, old, new string, sealed bool) {
	p.t.Helper()
	edit(p.t, p.s, path, old, new)
	if sealed {
		seal(p.t, p.s, "horseseg")
		p.relist()
	}
}

// relist makes the list say what the manifest's own files are now.
func (p *planted) relist() {
	p.t.Helper()
	data, err := p.s.Read(SumsFile, "")
	p.must(err)
	sums, err := ParseSums(data)
	p.must(err)
	for f := range sums {
		if strings.HasSuffix(f, ".yaml") {
			data, err := p.s.Read(f, "")
			p.must(err)
			sums[f] = Sum(data)
		}
	}
	p.must(p.s.Replace(SumsFile, FormatSums(sums)))
}

func (p *planted) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

const part0 = "horseseg.d/0000.yaml"

// The planted faults: before is what a stage may do wrong, after what happens to a written data set. want lists
// "record kind" of every fault; deep are those that only a deep check finds.
var plantedFaults = []struct {
	name          string
	before, after func(p *planted)
	want, deep    []string
}{
	{name: "nothing"},
	// Files of the manifest.
	{name: "flipped byte in a part", after: func(p *planted) { p.edited(part0, "width: 4", "width: 5", false) },
		want: []string{" part_digest", "a size", "a size"}},
	{name: "flipped byte in white space", after: func(p *planted) { p.edited(part0, "width: 4", "width:  4", false) }, want: []string{" part_digest"}},
	{name: "missing part", after: func(p *planted) { p.must(os.Remove(p.file(part0))) }, want: []string{" part"}},
	{name: "empty part", after: func(p *planted) { p.must(os.Truncate(p.file(part0), 0)) }, want: []string{" part_digest", " syntax"}},
	{name: "renamed part", after: func(p *planted) { p.must(os.Rename(p.file(part0), p.file("horseseg.d")+"/000.yaml")) }, want: []string{" part", " surplus"}},
	{name: "missing list of skips", after: func(p *planted) { p.must(os.Remove(p.file("horseseg.d/skipped.yaml"))) }, want: []string{" part"}},
	{name: "edited list of skips", after: func(p *planted) { p.edited("horseseg.d/skipped.yaml", "it is", "it was", false) }, want: []string{" part_digest"}},
	{name: "record taken out", after: func(p *planted) {
		data, err := p.s.Read(named(p.t, p.s, part0), "")
		p.must(err)
		i, j := bytes.Index(data, []byte(`- id: "e"`)), bytes.Index(data, []byte(`- id: "y"`))
		p.edited(part0, string(data[i:j]), "", true)
	}, want: []string{" part_count"}},
	{name: "wrong count of a tier", after: func(p *planted) { p.edited("horseseg.yaml", "tier: bbox, images: 1", "tier: bbox, images: 2", true) }, want: []string{" counts"}},
	{name: "wrong count of records", after: func(p *planted) { p.edited("horseseg.yaml", "records: 6\ncounts", "records: 7\ncounts", true) }, want: []string{" counts"}},
	{name: "wrong count in a part", after: func(p *planted) { p.edited("horseseg.yaml", `.yaml", records: 6`, `.yaml", records: 5`, true) }, want: []string{" part_count"}},
	{name: "unknown schema", after: func(p *planted) { p.edited("horseseg.yaml", "schema: 1", "schema: 3", true) }, want: []string{" schema"}},
	{name: "not YAML", after: func(p *planted) { p.edited("horseseg.yaml", "seed: 0", "seed: [", true) }, want: []string{" syntax"}},
	{name: "unknown key", after: func(p *planted) { p.edited(part0, "source: folder", "sauce: folder", true) }, want: []string{"a unknown_key"}},
	{name: "bare id", after: func(p *planted) { p.edited(part0, `["e", "a"]`, `["e", a]`, true) }, want: []string{"c quotes"}},
	{name: "old list of sums", before: func(p *planted) { p.write(); p.m.Version = "9" },
		after: func(p *planted) { p.edited(SumsFile, string(formSum(p)), string(sum(0)), false) }, want: []string{" sums"}},
	{name: "damaged list of sums", after: func(p *planted) { p.edited(SumsFile, "  ", " ", false) }, want: []string{" sums"}},
	{name: "no list of sums", after: func(p *planted) { p.must(os.Remove(p.file(SumsFile))) }, want: []string{" sums"}},
	{name: "no line for the index", after: func(p *planted) { p.unlist("horseseg.yaml") }, want: []string{" sums"}},
	{name: "no line for a part", after: func(p *planted) { p.unlist("horseseg.d/0000") }, want: []string{" sums"}},
	{name: "no line for an image", after: func(p *planted) { p.unlist("images/a.") }, want: []string{"a sums"}},
	{name: "a line for nothing", after: func(p *planted) {
		data, err := p.s.Read(SumsFile, "")
		p.must(err)
		p.must(p.s.Replace(SumsFile, append(data, string(sum(1))+"  zebra.jpg\n"...)))
	}, want: []string{" surplus"}},
	{name: "edited version, digests put right", after: func(p *planted) { edit(p.t, p.s, "horseseg.yaml", `version: "1"`, `version: "2"`) }, want: []string{" sums"}},
	{name: "file of no manifest with another line", after: func(p *planted) {
		path, _ := p.put("images", "other", []byte("x"))
		p.listed(path, sum(1))
	}, want: []string{" surplus"}},
	{name: "file of no manifest with its line", after: func(p *planted) {
		path, d := p.put("images", "other", []byte("x"))
		p.listed(path, d)
	}},
	{name: "another line for a part of a parent", after: func(p *planted) { p.listed(named(p.t, p.s, "stages/split.d/0000.yaml"), sum(1)) }, want: []string{" sums"}},
	{name: "index with a byte order mark", after: func(p *planted) { p.edited("horseseg.yaml", "schema: 1", "\ufeffschema: 1", true) }, want: []string{" canonical"}},
	{name: "index with line ends of its own", after: func(p *planted) {
		data, err := p.s.Read("horseseg.yaml", "")
		p.must(err)
		p.must(p.s.Replace("horseseg.yaml", bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))))
		p.relist()
	}, want: []string{" canonical"}},
	{name: "part with spaces of its own", after: func(p *planted) { p.edited(part0, "width: 4", "width:  4", true) }, want: []string{" canonical"}},
	{name: "text with escapes", before: func(p *planted) { p.record("a").Image.Notes = []string{"a \"quoted\" word"} }},
	{name: "surplus part", after: func(p *planted) { p.must(os.WriteFile(p.file("horseseg.d")+"/0009.txt", nil, 0o666)) }, want: []string{" surplus"}},
	{name: "spoiled part of an earlier index", after: func(p *planted) {
		p.must(os.WriteFile(p.file("horseseg.d")+"/0000.0123456789ab.yaml", []byte("x"), 0o666))
	}, want: []string{" surplus"}},
	{name: "whole part of an earlier index", after: func(p *planted) {
		p.must(os.WriteFile(p.file("horseseg.d")+"/0000."+Sum([]byte("x")).Short()+".yaml", []byte("x"), 0o666))
	}},
	{name: "lost parent", after: func(p *planted) { p.must(os.Remove(p.file("stages/split.yaml"))) }, want: []string{" parent"}},
	{name: "lost grandparent", after: func(p *planted) { p.edited("stages/ingest.yaml", "seed: 0", "seed: 1", false) }, want: []string{" parent"}},
	{name: "flipped byte in a grandparent's part", after: func(p *planted) { p.edited("stages/ingest.d/0000.yaml", "width: 4", "width: 5", false) }, want: []string{" part_digest"}},
	{name: "missing part of a parent", after: func(p *planted) { p.must(os.Remove(p.file("stages/split.d/0000.yaml"))) }, want: []string{" part"}},
	{name: "another seed than the parent's", before: func(p *planted) { p.m.Seed = 9 }, want: []string{" parent"}},
	{name: "another class than the parent's", before: func(p *planted) { p.m.Class.Name = "zebra" }, want: []string{" parent"}},
	{name: "another data set than the parent's", before: func(p *planted) { p.m.Dataset = "zebras" }, want: []string{" parent"}},
	{name: "published without stages", after: func(p *planted) { p.must(os.RemoveAll(p.file("stages"))) }},
	// Values.
	{name: "wrong split", after: func(p *planted) { p.edited(part0, "split: test", "split: tset", true) }, want: []string{" counts", "y order", "y value"}},
	{name: "wrong tier", after: func(p *planted) { p.edited(part0, "tier: bbox\n  image", "tier: box\n  image", true) }, want: []string{" counts", "b tier", "b value"}},
	{name: "box outside its image", after: func(p *planted) { p.edited(part0, "xMax: 3", "xMax: 5", true) }, want: []string{"b box"}},
	{name: "path out of the store", after: func(p *planted) { p.edited(part0, "images/a", "../images/a", true) }, want: []string{"a path"}},
	{name: "duplicate id", after: func(p *planted) { p.edited(part0, `- id: "b"`, `- id: "a"`, true) }, want: []string{"a duplicate_id", "a provenance"}},
	{name: "unsorted", after: func(p *planted) { p.edited(part0, `- id: "b"`, `- id: "f"`, true) }, want: []string{"c order"}},
	{name: "more figure than image", after: func(p *planted) { p.edited(part0, "figure: 2", "figure: 13", true) }, want: []string{"a mask_counts", "a value"}},
	// Between records.
	{name: "leaked test id", before: func(p *planted) { p.record("z").ID = "e" }, want: []string{"c leak_provenance", "e leak"}},
	{name: "leaked test file", before: func(p *planted) {
		a, z := p.record("a"), p.record("z")
		z.Image.Path, z.Image.SHA256, z.Image.Pixels = a.Image.Path, a.Image.SHA256, a.Image.Pixels
	}, want: []string{"z leak"}},
	{name: "leaked test pixels", before: func(p *planted) {
		z := p.record("z")
		data := picture(p.t, 4, 3, 0) // those of a
		i := bytes.Index(data, []byte("IDAT")) - 4
		text := []byte("\x00\x00\x00\x03tEXta\x00b")
		data = slices.Concat(data[:i], text, crc(text[4:]), data[i:])
		p.setImage(z, data)
	}, want: []string{"z leak"}},
	{name: "one picture under two ids", before: func(p *planted) { p.record("e").Image = p.record("a").Image }, want: []string{"e twice"}},
	{name: "one picture under two ids, noted", before: func(p *planted) {
		p.record("e").Image = p.record("a").Image
		p.record("e").Image.Notes = []string{"duplicate_of:train/a"}
	}},
	{name: "two objects of one picture", before: func(p *planted) {
		a, e := p.record("a"), p.record("e")
		e.ID, e.Image = "a_2", a.Image
		p.record("c").Masks[0].WasDerivedFrom = []string{"a_2"}
		c := p.record("c")
		c.Masks[0].Used = []Digest{c.Image.SHA256}
	}},
	{name: "leak by provenance", before: func(p *planted) { p.record("c").Masks[0].WasDerivedFrom = []string{"a", "z"} }, want: []string{"c leak_provenance"}},
	{name: "unknown source", before: func(p *planted) { p.record("c").Masks[0].WasDerivedFrom = []string{"a", "q"} }, want: []string{"c provenance"}},
	{name: "edited provenance", after: func(p *planted) { p.edited(part0, `wasDerivedFrom: ["e", "a"]`, `wasDerivedFrom: ["e", "b2"]`, true) }, want: []string{"c provenance"}},
	{name: "source without a mask", before: func(p *planted) { p.record("b").Masks = nil; p.record("c").Masks[0].WasDerivedFrom[1] = "b" }, want: []string{"c provenance"}},
	{name: "own source", before: func(p *planted) { p.record("c").Masks[0].WasDerivedFrom[1] = "c" }, want: []string{"c provenance"}},
	{name: "corrected by hand", before: func(p *planted) {
		k := p.record("c").Masks[0]
		k.Tier, k.WasGeneratedBy, k.WasDerivedFrom, k.GeneratedAtTime = Manual, "annotate", []string{"c"}, "2026-01-31T13:45:00+01:00"
		p.record("c").Masks = append(p.record("c").Masks, k)
	}},
	{name: "voted, and said to be drawn", before: func(p *planted) { p.record("b").Masks[0].WasGeneratedBy = "annotate" }, want: []string{"b provenance"}},
	{name: "voted, and said to be read", before: func(p *planted) { p.record("b").Masks[0].WasGeneratedBy = "ingest/folder" }, want: []string{"b provenance"}},
	{name: "voted in another round", before: func(p *planted) { p.record("b").Masks[0].WasGeneratedBy = "transfer/label" }, want: []string{"b provenance"}},
	{name: "drawn by nobody", before: func(p *planted) {
		k := &p.record("a").Masks[0]
		k.WasGeneratedBy, k.WasAttributedTo = "annotate/import", ""
	}, want: []string{"a provenance"}},
	{name: "drawn at no time", before: func(p *planted) { p.record("a").Masks[0].WasGeneratedBy = "annotate" }, want: []string{"a provenance"}},
	{name: "no source", before: func(p *planted) { p.record("c").Masks[0].WasDerivedFrom = nil }, want: []string{"c provenance"}},
	{name: "no provenance", before: func(p *planted) { p.record("a").Masks[0].Provenance = Provenance{} }, want: []string{"a provenance", "a provenance"}},
	{name: "made from another image", before: func(p *planted) { p.record("b").Masks[0].Used[0] = sum(3) }, want: []string{"b provenance"}},
	{name: "test record of another tier", before: func(p *planted) { p.record("z").Tier = Label }, want: []string{"z test_tier"}},
	{name: "test record with a voted mask", before: func(p *planted) {
		z := p.record("z")
		k := z.Masks[0]
		k.Tier, k.WasGeneratedBy, k.WasDerivedFrom = BBox, "transfer/bbox", []string{"a"}
		z.Masks = append(z.Masks, k)
	}, want: []string{"z test_tier"}},
	{name: "manual without a mask", before: func(p *planted) { p.record("z").Masks = nil }, want: []string{"z tier"}},
	{name: "bbox without a box", before: func(p *planted) { p.record("b").Boxes = nil }, want: []string{"b tier"}},
	// Files of the records.
	{name: "flipped byte in an image", after: func(p *planted) { p.flip(p.record("b").Image.Path) }, want: []string{"b file_digest"}},
	{name: "flipped byte in a mask", after: func(p *planted) { p.flip(p.record("e").Masks[1].Path) }, want: []string{"e file_digest", "e file_digest"}},
	{name: "image cut short", after: func(p *planted) { p.must(os.Truncate(p.file(p.record("y").Image.Path), 30)) }, want: []string{"y file_digest"}},
	{name: "missing image", after: func(p *planted) { p.must(os.Remove(p.file(p.record("a").Image.Path))) }, want: []string{"a file"}},
	{name: "renamed mask", after: func(p *planted) { f := p.file(p.record("a").Masks[0].Path); p.must(os.Rename(f, f+".png")) }, want: []string{"a file"}},
	{name: "a folder for an image", after: func(p *planted) {
		f := p.file(p.record("a").Image.Path)
		p.must(os.Remove(f))
		p.must(os.Mkdir(f, 0o777))
	}, want: []string{"a file"}},
	{name: "wrong size of an image", before: func(p *planted) { r := p.record("a"); r.Image.Width, r.Image.Height = 3, 4 }, want: []string{"a size", "a size"}},
	{name: "upright", before: func(p *planted) {
		r := p.record("a")
		r.Image.Orientation, r.Image.Width, r.Image.Height = 6, 3, 4
		p.setMask(&r.Masks[0], "a", maskOf(p.t, 3, 4, 1, 1, 255))
	}},
	{name: "turned mask", before: func(p *planted) { p.setMask(&p.record("a").Masks[0], "a", maskOf(p.t, 3, 4, 1, 1, 255)) }, want: []string{"a size"}},
	{name: "value 7 in a mask", before: func(p *planted) { p.setMask(&p.record("a").Masks[0], "a", maskOf(p.t, 4, 3, 1, 1, 255, 7)) }, want: []string{"a mask_values"}},
	{name: "mask of 0 and 255", before: func(p *planted) { p.setMask(&p.record("a").Masks[0], "a", maskOf(p.t, 4, 3, 255, 255)) }, want: []string{"a mask_counts"}},
	{name: "wrong number of figure pixels", before: func(p *planted) { p.record("a").Masks[0].Figure = 3 }, want: []string{"a mask_counts"}},
	{name: "wrong number of void pixels", before: func(p *planted) { p.record("a").Masks[0].Void = 0 }, want: []string{"a mask_counts"}},
	{name: "mask that is no PNG", before: func(p *planted) { p.setMask(&p.record("a").Masks[0], "a", []byte("GIF89a")) }, want: []string{"a decode"}},
	{name: "image that is no PNG", before: func(p *planted) {
		r := p.record("a")
		r.Image.Path, r.Image.SHA256 = p.put("images", "a", []byte("GIF89a"))
	}, want: []string{"a decode"}},
	{name: "image damaged behind its head", before: func(p *planted) {
		r := p.record("a")
		data := picture(p.t, 4, 3, 0)
		data[len(data)-20] ^= 1
		r.Image.Path, r.Image.SHA256 = p.put("images", "a", data)
	}, deep: []string{"a decode"}},
	{name: "other pixels", before: func(p *planted) {
		r := p.record("a")
		r.Image.Path, r.Image.SHA256 = p.put("images", "a", picture(p.t, 4, 3, 99))
	}, deep: []string{"a pixels"}},
	{name: "several at once", before: func(p *planted) { p.record("c").Masks[0].WasDerivedFrom[0] = "y"; p.record("b").Boxes = nil },
		after: func(p *planted) {
			p.must(os.Remove(p.file(p.record("z").Image.Path)))
			p.flip(p.record("y").Image.Path)
			p.edited("horseseg.yaml", "tier: bbox, images: 1", "tier: bbox, images: 2", true)
		}, want: []string{" counts", "b tier", "c leak_provenance", "y file_digest", "z file"}},
}

func crc(chunk []byte) []byte {
	c := ^uint32(0) // as in annex D of the PNG specification
	for _, b := range chunk {
		c ^= uint32(b)
		for range 8 {
			c = c>>1 ^ 0xedb88320*(c&1)
		}
	}
	c = ^c
	return []byte{byte(c >> 24), byte(c >> 16), byte(c >> 8), byte(c)}
}

// unlist takes the line of the file out of the list whose path begins so.
func (p *planted) unlist(path string) {
	p.t.Helper()
	data, err := p.s.Read(SumsFile, "")
	p.must(err)
	lines := slices.Collect(strings.Lines(string(data)))
	left := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.Contains(l, "  "+path) })
	if len(left) != len(lines)-1 {
		p.t.Fatalf("%d lines for %s", len(lines)-len(left), path)
	}
	p.must(p.s.Replace(SumsFile, []byte(strings.Join(left, ""))))
}

// listed puts a line for a file into the list.
func (p *planted) listed(path string, d Digest) {
	p.t.Helper()
	data, err := p.s.Read(SumsFile, "")
	p.must(err)
	p.must(p.s.Replace(SumsFile, append(data, string(d)+"  "+path+"\n"...)))
}

func formSum(p *planted) Digest {
	data, err := p.s.Read("horseseg.yaml", "")
	p.must(err)
	return Sum(data)
}

func (p *planted) flip(path string) {
	p.t.Helper()
	data, err := os.ReadFile(p.file(path))
	p.must(err)
	data[len(data)/2] ^= 4
	p.must(os.WriteFile(p.file(path), data, 0o644))
}

func TestCheckFindsPlantedFaults(t *testing.T) {
	t.Parallel()
	kinds, faulty := map[string]bool{}, 0
	for _, c := range plantedFaults {
		for _, deep := range []bool{false, true} {
			p := newPlanted(t)
			if c.before != nil {
				c.before(p)
			}
			p.write()
			if c.after != nil {
				c.after(p)
			}
			faults, err := Check(t.Context(), p.s, "horseseg", pngHooks(deep))
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			var got []string
			for _, f := range faults {
				got = append(got, f.Record+" "+f.Kind)
				kinds[f.Kind] = true
				if f.Message == "" || strings.Contains(f.Message, "\n") || strings.Contains(f.Message, p.s.Dir()) && f.Kind != FaultFile {
					t.Errorf("%s: message %q, want one line without the folder", c.name, f.Message)
				}
			}
			want := slices.Clone(c.want)
			if deep {
				want = append(want, c.deep...)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s, deep %v:\ngot  %q\nwant %q\n%v", c.name, deep, got, want, faults)
			}
			if deep && len(want) > 0 {
				faulty++
			}
		}
	}
	if faulty < 50 {
		t.Errorf("%d planted faults, want 50 or more", faulty)
	}
	for _, k := range []string{FaultRepeatedKey, FaultMissingKey} { // tested in strict_test.go
		kinds[k] = true
	}
	if len(kinds) != 32 {
		t.Errorf("%d kinds of fault occur, want all 32: %v", len(kinds), kinds)
	}
}

// The faults do not depend on the number of workers, nor does their order.
func TestCheckOrder(t *testing.T) {
	p := newPlanted(t)
	for i := range p.m.Records {
		p.m.Records[i].Masks[0].Figure = 3
	}
	p.write()
	var first []Fault
	for _, workers := range []int{1, 2, 8} {
		o := pngHooks(true)
		o.Workers = workers
		steps := 0
		o.Progress = func(done, total int) {
			if steps++; done != steps || total != 6 {
				t.Errorf("progress %d of %d at step %d", done, total, steps)
			}
		}
		got, err := Check(t.Context(), p.s, "horseseg", o)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if len(got) != 6 || steps != 6 || !reflect.DeepEqual(got, first) {
			t.Errorf("%d workers: %d steps, got %v, want %v", workers, steps, got, first)
		}
	}
}

func TestCheckErrors(t *testing.T) {
	p := newPlanted(t)
	p.write()
	if _, err := Check(t.Context(), p.s, "nothing", CheckOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, p.s, "horseseg", CheckOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	o := pngHooks(true)
	o.DecodeMask = func([]byte) (w, h, ground, figure, void int, err error) { panic("odd") }
	faults, err := Check(t.Context(), p.s, "horseseg", o)
	if err != nil || len(faults) != 6 || faults[5] != (fault("z", FaultDecode, "a decoder panics: odd")) {
		t.Errorf("got %v, %v", faults, err)
	}
	if faults, err := Check(t.Context(), p.s, "horseseg", CheckOptions{}); err != nil || len(faults) > 0 {
		t.Errorf("without hooks: got %v, %v", faults, err)
	}
}
