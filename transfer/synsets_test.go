package transfer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hdseg/manifests"
)

// Horses of five synsets have two boxed masks each, and pictures of five synsets, of one of which there is no box, want masks. Five boxed masks
// may be sources: of horse, wild horse, a kind of pony and sorrel the better one each, for the mustang the second wild horse, one step up. The
// pony's own hypernym, of better masks, is nobody's nearest. Grades alone would have taken both sorrels and both horses. Two shards,
// merged, make what one run makes.
func TestTransferBetweenSynsets(t *testing.T) {
	const horse, wild, mustang, pony, kind, sorrel = "n02374451", "n02381460", "n02381831", "n02382437", "n02382635", "n02389026"
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{Header: manifests.Header{Version: "v9", Class: manifests.Class{Name: "beast"}}}
	r := rand.New(rand.NewPCG(9, 9))
	add := func(id, synset string, tier manifests.Tier) {
		addBeast(t, m, store, r, id, manifests.Train, tier)
		m.Records[len(m.Records)-1].Synset = synset
	}
	grades := map[string]float64{}
	for i, synset := range []string{wild, kind, pony, horse, sorrel} { // worse to better
		for k := range 2 {
			id := fmt.Sprintf("b-%s-%d", synset, k)
			add(id, synset, manifests.BBox)
			grades[id] = 0.76 + 0.04*float64(i) + 0.01*float64(k)
		}
	}
	for _, synset := range []string{horse, wild, kind, sorrel, mustang} {
		add("l-"+synset, synset, manifests.Label)
	}
	for i := range 4 {
		add(fmt.Sprintf("m%d", i), "", manifests.Manual)
	}

	o := small()
	o.ClassModel, o.StagedSources = false, 5
	boxed, err := RunPart(context.Background(), m, store, o, Part{Round: manifests.BBox}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	m = boxed.Manifest
	for i := range m.Records {
		if rec := &m.Records[i]; rec.Tier == manifests.BBox {
			rec.Masks[0].Quality = grades[rec.ID]
		}
	}
	label := func(p Part) *manifests.Manifest {
		p.Round = manifests.Label
		res, err := RunPart(context.Background(), m, store, o, p, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		return res.Manifest
	}
	once := label(Part{})
	want := []string{"b-" + horse + "-1", "b-" + wild + "-0", "b-" + wild + "-1", "b-" + kind + "-1", "b-" + sorrel + "-1"}
	var got []string
	for _, s := range sourcesOf(m, manifests.Label, o) {
		if s.record.Tier == manifests.BBox {
			got = append(got, s.record.ID)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("boxed sources: got %v, want %v", got, want)
	}
	merged, err := mergeAll(m, manifests.Label, []Shard{{"0", label(Part{Index: 0, Count: 2})}, {"1", label(Part{Index: 1, Count: 2})}})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(merged, once) {
		t.Error("merged shards differ from one run")
	}
}
