package feature

import (
	"slices"
	"testing"
)

// A row of the full set is a row of the draft set followed by one of the set hdseg.
func TestFull(t *testing.T) {
	img, sp := strips()
	o := Defaults()
	o.Vocabulary = handmade()
	sets := map[string][]float32{}
	for _, set := range []string{Draft, HDSeg, Full} {
		o.Set = set
		sets[set] = Extract(img, sp, o)
	}
	for i := range sp.N {
		row := sets[Full][i*FullDim : (i+1)*FullDim]
		if !slices.Equal(row[:DraftDim], sets[Draft][i*DraftDim:(i+1)*DraftDim]) || !slices.Equal(row[DraftDim:], sets[HDSeg][i*HDSegDim:(i+1)*HDSegDim]) {
			t.Fatalf("superpixel %d: the full row is not the two others", i)
		}
	}
}
