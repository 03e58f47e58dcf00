package manifests

import (
	"reflect"
	"slices"
	"testing"
)

func TestDiff(t *testing.T) {
	base := func() *Manifest { return newPlanted(t).m }
	a := base()
	for _, c := range []struct {
		name   string
		change func(m *Manifest, r func(id string) *Record)
		want   []Change
	}{
		{"nothing", func(m *Manifest, r func(string) *Record) {}, nil},
		{"header only", func(m *Manifest, r func(string) *Record) { m.Seed = 5 }, nil},
		{"first taken out", func(m *Manifest, r func(string) *Record) { m.Records = m.Records[1:] }, []Change{{Train, "a", Manual, RecordRemoved}}},
		{"last taken out", func(m *Manifest, r func(string) *Record) { m.Records = m.Records[:5] }, []Change{{Test, "z", Manual, RecordRemoved}}},
		{"added", func(m *Manifest, r func(string) *Record) {
			x := *r("b")
			x.ID = "b1"
			m.Records = append(m.Records, x)
		}, []Change{{Train, "b1", BBox, RecordAdded}}},
		{"moved", func(m *Manifest, r func(string) *Record) { r("z").Split = Train }, []Change{{Train, "z", Manual, RecordAdded}, {Test, "z", Manual, RecordRemoved}}},
		{"all gone", func(m *Manifest, r func(string) *Record) { m.Records = nil }, []Change{
			{Train, "a", Manual, RecordRemoved}, {Train, "b", BBox, RecordRemoved}, {Train, "c", Label, RecordRemoved},
			{Train, "e", Manual, RecordRemoved}, {Test, "y", Manual, RecordRemoved}, {Test, "z", Manual, RecordRemoved},
		}},
		{"image", func(m *Manifest, r func(string) *Record) { r("b").Image.SHA256 = sum(1) }, []Change{{Train, "b", BBox, ImageChanged}}},
		{"box", func(m *Manifest, r func(string) *Record) { r("b").Boxes = []Box{{0, 0, 1, 1}} }, []Change{{Train, "b", BBox, RecordChanged}}},
		{"image and tier", func(m *Manifest, r func(string) *Record) { r("b").Image.Width, r("b").Tier = 9, Label },
			[]Change{{Train, "b", Label, RecordChanged}, {Train, "b", Label, ImageChanged}}},
		{"mask", func(m *Manifest, r func(string) *Record) { r("b").Masks[0].SHA256 = sum(1) }, []Change{{Train, "b", BBox, MaskChanged}}},
		{"provenance", func(m *Manifest, r func(string) *Record) { r("c").Masks[0].WasDerivedFrom = []string{"a", "e"} }, []Change{{Train, "c", Label, MaskDescribed}}},
		{"revision", func(m *Manifest, r func(string) *Record) {
			k := r("c").Masks[0]
			k.Revision = 1
			r("c").Masks = append(slices.Clone(r("c").Masks), k)
		}, []Change{{Train, "c", Label, MaskAdded}}},
		{"tier of a mask", func(m *Manifest, r func(string) *Record) { r("e").Masks[0].Tier = "external:z" },
			[]Change{{Train, "e", "external:sam", MaskRemoved}, {Train, "e", "external:z", MaskAdded}}},
	} {
		b := base()
		c.change(b, func(id string) *Record {
			return &b.Records[slices.IndexFunc(b.Records, func(r Record) bool { return r.ID == id })]
		})
		b.normalize()
		if got := Diff(a, b); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		// The other way round, what was added is removed.
		other := map[ChangeKind]ChangeKind{RecordAdded: RecordRemoved, RecordRemoved: RecordAdded, MaskAdded: MaskRemoved, MaskRemoved: MaskAdded}
		got, want := map[ChangeKind]int{}, map[ChangeKind]int{}
		for _, x := range Diff(b, a) {
			got[x.Kind]++
		}
		for _, x := range c.want {
			if k, ok := other[x.Kind]; ok {
				x.Kind = k
			}
			want[x.Kind]++
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s backwards: got %v, want %v", c.name, got, want)
		}
	}
}

func TestCountChanges(t *testing.T) {
	got := CountChanges([]Change{
		{Test, "z", Manual, MaskChanged}, {Train, "c", BBox, RecordAdded}, {Train, "b", BBox, MaskAdded}, {Train, "a", BBox, RecordAdded},
	})
	want := []ChangeCount{{Train, BBox, MaskAdded, 1}, {Train, BBox, RecordAdded, 2}, {Test, Manual, MaskChanged, 1}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
