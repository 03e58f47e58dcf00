package manifests

import (
	"bytes"
	"reflect"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"hdseg/manifests/canon"
)

// nasty draws strings that trip readers of YAML.
var nasty = rapid.OneOf(
	rapid.SampledFrom([]string{"a", "no", "2008_000008", "1e5", "~", "a: b", "- a", "#", "a #b", "{", "[", "&a", "*a", "!t", "|", ">", "%", "@", "`",
		" a ", "'", `"`, `\`, "a\nb", "\t", "\x00", "\u0085", "\u2028", "\ufeff", "é", "😀", "<<", "=", "12:30:45", "2024-01-01", "0123", ".inf"}),
	rapid.String(),
	rapid.StringMatching(`[a-z][a-z0-9_/.-]{0,9}`),
)

var (
	anyDigest = rapid.Map(rapid.Int(), func(i int) Digest { return sum(i) })
	anyTier   = rapid.SampledFrom([]Tier{Manual, BBox, Label, "external:a.b"})
	anyID     = nasty.Filter(validName)
)

func drawMask(t *rapid.T) Mask {
	draw := func(name string) string { return nasty.Draw(t, name) }
	return Mask{
		Tier: anyTier.Draw(t, "tier"), Revision: rapid.IntRange(0, 3).Draw(t, "revision"), Path: "masks/" + rapid.StringMatching(`[a-z0-9 é#:]{1,9}`).Draw(t, "path"),
		SHA256: anyDigest.Draw(t, "sha"), Figure: rapid.IntRange(0, 5).Draw(t, "figure"), Void: rapid.IntRange(0, 5).Draw(t, "void"),
		Quality: rapid.Float64Range(0, 1).Draw(t, "quality"), Status: draw("status"),
		Provenance: Provenance{
			WasGeneratedBy: draw("by"), WasAttributedTo: draw("to"),
			Used:           notEmpty(rapid.SliceOfN(anyDigest, 0, 3).Draw(t, "used")),
			WasDerivedFrom: notEmpty(rapid.SliceOfN(anyID, 0, 3).Draw(t, "from")),
		},
	}
}

func notEmpty[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

func drawRecord(t *rapid.T) Record {
	w, h := rapid.IntRange(4, 900).Draw(t, "w"), rapid.IntRange(5, 900).Draw(t, "h")
	r := Record{
		ID: anyID.Draw(t, "id"), Source: nasty.Draw(t, "source"), Synset: nasty.Draw(t, "synset"),
		Split: rapid.SampledFrom([]Split{Train, Test}).Draw(t, "split"), Tier: rapid.SampledFrom([]Tier{Manual, BBox, Label, None}).Draw(t, "tier"),
		Image: Image{
			Path: "images/" + rapid.StringMatching(`[A-Z~]{1,4}`).Draw(t, "path"), SHA256: anyDigest.Draw(t, "sha"), Pixels: anyDigest.Draw(t, "pixels"),
			Width: w, Height: h, Format: anyID.Draw(t, "format"), Orientation: rapid.IntRange(1, 8).Draw(t, "o"), Origin: nasty.Draw(t, "origin"),
			Notes: notEmpty(rapid.SliceOfN(nasty, 0, 2).Draw(t, "notes")),
		},
	}
	for range rapid.IntRange(0, 2).Draw(t, "boxes") {
		r.Boxes = append(r.Boxes, Box{0, 1, rapid.IntRange(1, w).Draw(t, "x"), rapid.IntRange(2, h).Draw(t, "y")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "masks") {
		r.Masks = append(r.Masks, drawMask(t))
	}
	return r
}

func TestRoundTripAnyManifest(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	fast, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := &Manifest{Header: Header{
			Dataset: anyID.Draw(t, "dataset"), Stage: anyID.Draw(t, "stage"), Tool: nasty.Draw(t, "tool"), Version: nasty.Draw(t, "version"),
			Class: Class{nasty.Draw(t, "class"), notEmpty(rapid.SliceOfN(anyID, 0, 2).Draw(t, "synsets")), rapid.Int().Draw(t, "voc")},
			Seed:  rapid.Uint64().Draw(t, "seed"),
		}}
		for range rapid.IntRange(0, 4).Draw(t, "records") {
			m.Records = append(m.Records, drawRecord(t))
		}
		for range rapid.IntRange(0, 3).Draw(t, "skips") {
			m.Skipped = append(m.Skipped, Skip{nasty.Draw(t, "record"), anyID.Draw(t, "reason"), nasty.Draw(t, "detail")})
		}
		m.normalize()
		if len(m.Validate()) > 0 { // the same id or mask twice
			return
		}
		d, err := Write(s, "m", m)
		if err != nil {
			t.Fatal(err)
		}
		got, gd, err := Read(s, "m")
		if err != nil {
			t.Fatal(err)
		}
		if gd != d || !reflect.DeepEqual(got, m) {
			t.Fatalf("got %+v, want %+v", got, m)
		}
		if len(m.Records) > 0 {
			all++
			if agree(t, appendFile(nil, m.Records, recordFields, false)) {
				fast++
			}
			oracle(t, m.Records)
		}
	})
	if fast == 0 || fast == all {
		t.Errorf("%d of %d parts went the fast way, want some and not all", fast, all)
	}
}

type fataler interface{ Fatalf(string, ...any) }

// agree holds the two readers of a part against each other: what the scanner accepts the decoder accepts, with the
// same result. It tells whether the scanner accepted.
func agree(t fataler, data []byte) bool {
	fast, ok := recordCodec.scanItems(&canon.Scanner{}, data, nil)
	d := &canon.Decoder{File: "f"}
	slow := recordCodec.decodeItems(d, data)
	if !ok {
		return false
	}
	if len(d.Faults) > 0 {
		t.Fatalf("the scanner accepts what the decoder refuses: %v\n%s", d.Faults, data)
	}
	if !reflect.DeepEqual(fast, slow) {
		t.Fatalf("the scanner reads %+v\nthe decoder reads %+v\n%s", fast, slow, data)
	}
	return true
}

// oracle holds the writer against yaml.v3 by itself: its own decoder into plain structs, and its own encoder.
func oracle(t *rapid.T, recs []Record) {
	type mask struct {
		Tier, Path, SHA256, Status                     string
		Revision, Figure, Void                         int
		Quality                                        float64
		WasGeneratedBy, GeneratedAtTime, WasAttributed string
		Used, WasDerivedFrom                           []string
	}
	type box struct{ XMin, YMin, XMax, YMax int }
	type plain struct {
		ID, Source, Synset, Split, Tier      string
		Path, SHA256, Pixels, Format, Origin string
		Width, Height, Orientation           int
		Notes                                []string
		Boxes                                []box
		Masks                                []mask
	}
	var want []plain
	for _, r := range recs {
		p := plain{
			r.ID, r.Source, r.Synset, string(r.Split), string(r.Tier), r.Image.Path, string(r.Image.SHA256), string(r.Image.Pixels), r.Image.Format,
			r.Image.Origin, r.Image.Width, r.Image.Height, r.Image.Orientation, r.Image.Notes, nil, nil,
		}
		for _, b := range r.Boxes {
			p.Boxes = append(p.Boxes, box(b))
		}
		for _, m := range r.Masks {
			var used []string
			for _, u := range m.Used {
				used = append(used, string(u))
			}
			p.Masks = append(p.Masks, mask{
				string(m.Tier), m.Path, string(m.SHA256), m.Status, m.Revision, m.Figure, m.Void, m.Quality,
				m.WasGeneratedBy, m.GeneratedAtTime, m.WasAttributedTo, used, m.WasDerivedFrom,
			})
		}
		want = append(want, p)
	}
	var nodes []map[string]any
	dec := yaml.NewDecoder(bytes.NewReader(appendFile(nil, recs, recordFields, false)))
	if err := dec.Decode(&nodes); err != nil {
		t.Fatalf("yaml.v3: %v", err)
	}
	str := func(m map[string]any, k string) string { s, _ := m[k].(string); return s }
	num := func(m map[string]any, k string) int { n, _ := m[k].(int); return n }
	strs := func(m map[string]any, k string) (out []string) {
		l, _ := m[k].([]any)
		for _, v := range l {
			out = append(out, v.(string))
		}
		return out
	}
	maps := func(m map[string]any, k string) (out []map[string]any) {
		l, _ := m[k].([]any)
		for _, v := range l {
			out = append(out, v.(map[string]any))
		}
		return out
	}
	var got []plain
	for _, n := range nodes {
		im := n["image"].(map[string]any)
		p := plain{
			str(n, "id"), str(n, "source"), str(n, "synset"), str(n, "split"), str(n, "tier"), str(im, "path"), str(im, "sha256"), str(im, "pixels"),
			str(im, "format"), str(im, "origin"), num(im, "width"), num(im, "height"), num(im, "orientation"), strs(im, "notes"), nil, nil,
		}
		for _, b := range maps(n, "boxes") {
			p.Boxes = append(p.Boxes, box{num(b, "xMin"), num(b, "yMin"), num(b, "xMax"), num(b, "yMax")})
		}
		for _, m := range maps(n, "masks") {
			q, ok := m["quality"].(float64)
			if !ok {
				q = float64(num(m, "quality"))
			}
			p.Masks = append(p.Masks, mask{
				str(m, "tier"), str(m, "path"), str(m, "sha256"), str(m, "status"), num(m, "revision"), num(m, "figure"), num(m, "void"), q,
				str(m, "wasGeneratedBy"), str(m, "generatedAtTime"), str(m, "wasAttributedTo"), strs(m, "used"), strs(m, "wasDerivedFrom"),
			})
		}
		got = append(got, p)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("yaml.v3 reads\n%+v\nwant\n%+v", got, want)
	}
	// What yaml.v3 writes of the same tree, in its own style, the decoder reads to the same records, unless yaml.v3
	// leaves an id bare.
	data, err := yaml.Marshal(nodes)
	if err != nil {
		t.Fatalf("yaml.v3: %v", err)
	}
	var own []map[string]any
	if yaml.Unmarshal(data, &own) != nil || !reflect.DeepEqual(own, nodes) {
		return // yaml.v3 cannot read some of what it writes: certain literal blocks
	}
	d := &canon.Decoder{File: "f"}
	again := recordCodec.decodeItems(d, data)
	for _, f := range d.Faults {
		if f.Kind != FaultQuotes {
			t.Fatalf("yaml.v3's own writing: %v\n%s", f, data)
		}
	}
	if len(d.Faults) == 0 && !reflect.DeepEqual(again, recs) {
		t.Fatalf("yaml.v3's own writing reads\n%+v\nwant\n%+v\n%s", again, recs, data)
	}
}

func FuzzPart(f *testing.F) {
	f.Add([]byte(handPart))
	f.Add(appendFile(nil, handManifest().Records, recordFields, false))
	f.Add(appendFile(nil, sample(3, 2).Records, recordFields, false))
	f.Add([]byte("- id: \"a\"\n  split: train\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !agree(t, data) {
			return
		}
		// What was read is written to bytes that read the same: nothing that is accepted is lost.
		recs, _ := recordCodec.scanItems(&canon.Scanner{}, data, nil)
		out := appendFile(nil, recs, recordFields, false)
		if again, ok := recordCodec.scanItems(&canon.Scanner{}, out, nil); !ok || !reflect.DeepEqual(again, recs) {
			t.Fatalf("written again: %q", out)
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(handIndex))
	f.Add([]byte("schema: 1\nname: a\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &canon.Decoder{File: "f"}
		ix := decodeIndex(d, data)
		if len(d.Faults) > 0 {
			return
		}
		d = &canon.Decoder{File: "f"}
		again := decodeIndex(d, appendIndex(nil, &ix))
		if len(d.Faults) > 0 || !reflect.DeepEqual(again, ix) {
			t.Fatalf("written again: %v\n%+v\n%+v", d.Faults, ix, again)
		}
	})
}
