package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// Shards join in any order; what was made from another manifest is refused, and masks that were left where they were made are told.
func TestTransferMerge(t *testing.T) {
	store, err := manifests.OpenStore(t.TempDir())
	try(t, err)
	file := func(name string) string { return filepath.Join(store.Dir(), name+".yaml") }
	write := func(name string, m *manifests.Manifest) manifests.Digest {
		t.Helper()
		d, err := manifests.WriteListed(store, name, m)
		try(t, err)
		return d
	}
	in := &manifests.Manifest{Header: manifests.Header{Dataset: "horseseg", Class: manifests.Class{Name: "horse"}, Stage: "split"}}
	for i := range 2 {
		path, sum, err := store.Put("images", fmt.Sprint(i), "png", []byte{byte(i)})
		try(t, err)
		in.Records = append(in.Records, manifests.Record{ID: fmt.Sprint("b", i), Split: manifests.Train, Tier: manifests.BBox,
			Image: manifests.Image{Path: path, SHA256: sum, Width: 4, Height: 4, Format: "png", Orientation: 1}, Boxes: []manifests.Box{{XMax: 2, YMax: 2}}})
	}
	digest := write("split", in)
	shard := func(i int, parent manifests.Digest) {
		m := &manifests.Manifest{Header: in.Header, Records: append([]manifests.Record(nil), in.Records...)}
		m.Stage, m.Config, m.Parent = "transfer", manifests.Sum([]byte("c")), parent
		path, sum, err := store.Put("masks/bbox", fmt.Sprint("b", i), "png", []byte{9, byte(i)})
		try(t, err)
		m.Records[i].Masks = []manifests.Mask{{Tier: manifests.BBox, Path: path, SHA256: sum, Figure: 1, Provenance: manifests.Provenance{
			WasGeneratedBy: "transfer/bbox", Used: []manifests.Digest{in.Records[i].Image.SHA256, manifests.Sum([]byte("m"))}}}}
		write(fmt.Sprint("s", i), m)
	}
	merge := func(files ...string) (string, int) {
		t.Helper()
		_, errs, code := hdseg(t, "transfer", "-i", file("split"), "--round", "bbox", "--merge", strings.Join(files, ","), "-o", file("out"))
		return errs, code
	}
	shard(0, digest)
	shard(1, digest)
	if errs, code := merge(file("s1"), file("s0")); code != exitDone || strings.Contains(errs, "warning") {
		t.Fatalf("exit %d, said %q", code, errs)
	}
	_, m, _, err := manifests.ReadFile(file("out"))
	try(t, err)
	for i, r := range m.Records {
		if k, ok := r.MaskOf(manifests.BBox); !ok || k.SHA256 != manifests.Sum([]byte{9, byte(i)}) {
			t.Errorf("%s: got %+v, want the mask of shard %d", r.ID, k, i)
		}
	}
	if errs, code := merge(file("s1")); code != exitError || !strings.Contains(errs, "1 of 2 bbox images have no mask and no skip in any shard, the first is b0:") {
		t.Errorf("one forgotten: exit %d, said %q", code, errs)
	}
	masks, err := filepath.Glob(filepath.Join(store.Dir(), "masks/bbox/b1.*"))
	if err != nil || len(masks) != 1 {
		t.Fatalf("got %v, %v", masks, err)
	}
	other := filepath.Join(t.TempDir(), "elsewhere")
	try(t, os.Rename(masks[0], other))
	if errs, _ := merge(file("s0"), file("s1")); !strings.Contains(errs, "1 masks are not in ") {
		t.Errorf("a mask left elsewhere: said %q", errs)
	}
	shard(0, manifests.Sum([]byte("another")))
	shard(1, manifests.Sum([]byte("another")))
	if errs, code := merge(file("s0"), file("s1")); code != exitError || !strings.Contains(errs, "were not made from "+file("split")) {
		t.Errorf("of another input: exit %d, said %q", code, errs)
	}
}
