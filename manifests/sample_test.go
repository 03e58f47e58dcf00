package manifests

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hdseg/manifests/canon"
)

func testStore(t testing.TB) *Store {
	t.Helper()
	s, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// appendFile appends a list as it stands in a file of its own.
func appendFile[T any](b []byte, items []T, fields []canon.Field[T], inline bool) []byte {
	for text := range pieces(items, fields, inline) {
		b = append(b, text...)
	}
	return b
}

func sum(i int) Digest { return Sum(fmt.Append(nil, i)) }

// states are the manifests that childWriter writes in turn: of other sizes, so that the parts differ.
func states() (out []*Manifest) {
	for i, n := range []int{3, PartRecords + 2, 40} {
		m := sample(n, 1)
		m.Seed = uint64(i)
		out = append(out, m)
	}
	return out
}

// sample returns a manifest of n records like those of a transfer run: one in forty drawn by people, the others with a mask that
// voted from the given number of sources.
func sample(n, sources int) *Manifest {
	rng := rand.New(rand.NewPCG(1, 2))
	m := &Manifest{Header: Header{
		Schema: Schema, Dataset: "dogseg", Stage: "transfer", Tool: "hdseg", Version: Version,
		Class:  Class{Name: "dog", Synsets: []string{"n02084071", "n01322604"}, VOC: 12},
		Config: sum(-1), Parent: sum(-2), Seed: 1<<63 + 5,
		Skipped: []Skip{{"n02084071_9", "corrupt_image", "unexpected EOF"}, {"n02084071.tar!a\nb", "odd_name", ""}},
	}}
	manual := n/40 + 1
	for i := range n {
		r := Record{
			Source: "imagenet", Split: Train,
			ID: fmt.Sprintf("n%08d_%d", 2084071+i/1000, i), Synset: fmt.Sprintf("n%08d", 2084071+i/1000), Tier: BBox,
		}
		if i < manual {
			r.ID, r.Source, r.Synset, r.Tier = fmt.Sprintf("2008_%06d", i), "voc2012", "", Manual
		}
		dir := strings.ToLower(r.Source)
		r.Image = Image{
			Path: fmt.Sprintf("images/%s/%s.%s.jpg", dir, r.ID, sum(i).Short()), SHA256: sum(i), Pixels: sum(i + n),
			Width: 500, Height: 333 + i%40, Format: "jpeg", Orientation: 1 + i%8, Origin: r.Synset + ".tar!" + r.ID + ".JPEG",
		}
		if i%50 == 0 {
			r.Image.Notes = []string{"cmyk", "é"}
		}
		if r.Tier == BBox {
			r.Boxes = []Box{{10, 20, 300 + i%100, 300}}
		}
		k := Mask{
			Tier: r.Tier, Path: fmt.Sprintf("masks/%s/%s.%s.png", r.Tier, r.ID, sum(i+2*n).Short()), SHA256: sum(i + 2*n),
			Figure: 1000 + i, Provenance: Provenance{WasGeneratedBy: "ingest/voc2012", Used: []Digest{r.Image.SHA256}},
		}
		if r.Tier == BBox {
			k.Quality = float64(i%100) / 100
			k.WasGeneratedBy, k.WasAttributedTo = "transfer/bbox", "hdseg@"+Version
			k.Used = []Digest{r.Image.SHA256, sum(-3)}
			for range sources {
				k.WasDerivedFrom = append(k.WasDerivedFrom, fmt.Sprintf("2008_%06d", rng.IntN(manual)))
			}
		}
		if i%30 != 0 || r.Tier == BBox {
			r.Masks = []Mask{k}
		}
		m.Records = append(m.Records, r)
	}
	m.normalize()
	return m
}
