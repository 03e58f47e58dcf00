package shard

import (
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// Row 70: ids that ustar has no room or letters for go there and back, and equal input gives equal bytes.
func TestRow70LongNames(t *testing.T) {
	s, err := manifests.OpenStore(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{Header: manifests.Header{Dataset: "horseseg", Class: manifests.Class{Name: "horse"}, Stage: "transfer"}}
	for _, id := range []string{strings.Repeat("馬", 13), strings.Repeat("L", 150), "short"} {
		r := manifests.Record{ID: id, Split: manifests.Train, Tier: manifests.Manual, Image: manifests.Image{Width: 9, Height: 9, Format: "png", Orientation: 1}}
		if r.Image.Path, r.Image.SHA256, err = s.Put("images", "x", "png", []byte(id)); err != nil {
			t.Fatal(err)
		}
		k := manifests.Mask{Tier: manifests.Manual, Provenance: manifests.Provenance{WasGeneratedBy: "test", Used: []manifests.Digest{r.Image.SHA256}}}
		if k.Path, k.SHA256, err = s.Put("masks", "x", "png", []byte("mask of "+id)); err != nil {
			t.Fatal(err)
		}
		r.Masks = []manifests.Mask{k}
		m.Records = append(m.Records, r)
	}
	digest, err := manifests.Write(s, "horseseg", m)
	if err != nil {
		t.Fatal(err)
	}
	var sums []manifests.Digest
	for range 2 {
		dir := filepath.Join(t.TempDir(), "shards")
		ix, err := Pack(t.Context(), s, "horseseg", m, digest, dir, Defaults(), 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, ix.Shards[0].SHA256)
		if faults, err := Verify(t.Context(), dir, m, 2, nil); err != nil || len(faults) > 0 {
			t.Fatalf("%v, %v", faults, err)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("equal input, other bytes: %s and %s", sums[0].Short(), sums[1].Short())
	}
}
