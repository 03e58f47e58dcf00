package manifests

import (
	"fmt"
	"strings"
	"testing"
)

// outline writes an explanation as id[activity<sources>,...].
func outline(x *Explanation) string {
	s := x.ID
	if x.Record == nil {
		s += "?"
	}
	if x.Above {
		return s + "^"
	}
	var masks []string
	for _, o := range x.Masks {
		m := o.Mask.WasGeneratedBy
		var from []string
		for _, f := range o.From {
			from = append(from, outline(f))
		}
		if len(from) > 0 {
			m += "<" + strings.Join(from, " ") + ">"
		}
		masks = append(masks, m)
	}
	return fmt.Sprintf("%s[%s]", s, strings.Join(masks, " "))
}

func TestWhy(t *testing.T) {
	p := newPlanted(t)
	b, c := p.record("b"), p.record("c")
	c.Masks[0].WasDerivedFrom = []string{"e", "b", "gone", "a"} // b itself derives from a
	k := c.Masks[0]
	k.Revision, k.WasGeneratedBy, k.WasDerivedFrom, k.WasAttributedTo = 1, "annotate", []string{"c"}, "Ann"
	c.Masks = append(c.Masks, k)
	p.m.Skipped = append(p.m.Skipped, Skip{"b", "bad_box", "box 2 is empty"})
	for id, want := range map[string]string{
		"a": "a[ingest/folder]",
		"b": "b[transfer/bbox<a[ingest/folder]>]",
		"c": "c[transfer/label<e[import ingest/folder] b[transfer/bbox<a[ingest/folder]>] gone?[] a^> annotate<c^>]",
		"q": "q?[]",
	} {
		got, err := Why(p.m, id)
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: got %v, %v", id, got, err)
		}
		if s := outline(got[0]); s != want {
			t.Errorf("%s: got %s, want %s", id, s, want)
		}
		skips := map[string]string{"q": "corrupt_image", "b": "bad_box"}
		if want := skips[id]; want != "" && (len(got[0].Skips) != 1 || got[0].Skips[0].Reason != want) || want == "" && len(got[0].Skips) > 0 {
			t.Errorf("%s: got skips %v, want %s", id, got[0].Skips, want)
		}
	}
	if got, _ := Why(p.m, "b"); got[0].Record != b {
		t.Error("the record is a copy")
	}
	if _, err := Why(p.m, "nobody"); err == nil || err.Error() != `no record "nobody" in horseseg (transfer)` {
		t.Errorf("got %v", err)
	}
	p.record("z").ID = "a"
	if got, err := Why(p.m, "a"); err != nil || len(got) != 2 {
		t.Errorf("an id in both splits: got %v, %v", got, err)
	}
}

func TestLineage(t *testing.T) {
	p := newPlanted(t)
	p.write()
	if err := p.s.Replace("stages/other.yaml", []byte("not: a manifest\n")); err != nil {
		t.Fatal(err)
	}
	_, _, err := Read(p.s, "horseseg")
	if err != nil {
		t.Fatal(err)
	}
	stages, missing, err := Lineage(p.s, p.m)
	if err != nil || missing != "" || len(stages) != 2 || stages[0].Name != "stages/split" || stages[1].Name != "stages/ingest" || stages[0].Digest != p.m.Parent {
		t.Errorf("got %+v, missing %q, %v", stages, missing, err)
	}
	if stages[0].Header.Parent != stages[1].Digest || stages[1].Header.Stage != "ingest" {
		t.Errorf("got %+v", stages)
	}
	p.m.Parent = sum(4)
	if stages, missing, err := Lineage(p.s, p.m); err != nil || missing != sum(4) || len(stages) != 0 {
		t.Errorf("got %+v, missing %q, %v", stages, missing, err)
	}
}
