package transfer

import (
	"reflect"
	"strings"
	"testing"

	"hdseg/manifests"
)

// transferred is a mask of a tier that some model made of a picture.
func transferred(tier manifests.Tier, sum, model string) manifests.Mask {
	return manifests.Mask{Tier: tier, SHA256: manifests.Digest(sum), Provenance: manifests.Provenance{
		WasGeneratedBy: manifests.TransferActivity + string(tier), Used: []manifests.Digest{"image", manifests.Digest(model)},
	}}
}

// sharded is an input of three boxed records, one of which an earlier transfer made, and one of the label tier; and the three shards of round bbox,
// each with the mask of one record but the last, which skipped it.
func sharded() (in *manifests.Manifest, shards []Shard) {
	in = &manifests.Manifest{Header: manifests.Header{Stage: "split", Version: "v9", Config: "split"}}
	for _, id := range []string{"b0", "b1", "b2"} {
		in.Records = append(in.Records, manifests.Record{ID: id, Split: manifests.Train, Tier: manifests.BBox})
	}
	in.Records = append(in.Records, manifests.Record{ID: "l0", Split: manifests.Train, Tier: manifests.Label})
	in.Records[1].Masks = []manifests.Mask{transferred(manifests.BBox, "old", "older")}
	in.Skipped = []manifests.Skip{{Record: "b0", Reason: SkipImage, Detail: "transfer: of an earlier run"}, {Record: "x", Reason: SkipImage, Detail: "ingest: x"}}
	for k, name := range []string{"s0", "s1", "s2"} {
		out := &manifests.Manifest{Header: in.Header, Records: append([]manifests.Record(nil), in.Records...)}
		out.Stage, out.Config, out.Parent = "transfer", "c", "in"
		out.Skipped = in.Skipped[1:]
		out.Records[1].Masks = nil
		if k < 2 {
			out.Records[k].Masks = []manifests.Mask{transferred(manifests.BBox, name, "m")}
		} else {
			out.Skipped = append([]manifests.Skip{{Record: "b2", Reason: SkipNoBox, Detail: "transfer: b2: no box"}}, out.Skipped...)
		}
		shards = append(shards, Shard{name, out})
	}
	return in, shards
}

// mergeAll merges shards that are in memory.
func mergeAll(m *manifests.Manifest, round manifests.Tier, shards []Shard) (*manifests.Manifest, error) {
	return Merge(m, round, len(shards), func(i int) (Shard, error) { return shards[i], nil })
}

// Each mask comes from the shard that has it, in whatever order the shards are and how often.
func TestMergeInAnyOrder(t *testing.T) {
	in, s := sharded()
	want, err := mergeAll(in, manifests.BBox, s)
	if err != nil {
		t.Fatal(err)
	}
	for i, sum := range []manifests.Digest{"s0", "s1", ""} {
		if k, ok := want.Records[i].MaskOf(manifests.BBox); ok != (sum != "") || k.SHA256 != sum || len(want.Records[i].Masks) > 1 {
			t.Errorf("b%d: got %+v, want the mask %q alone", i, want.Records[i].Masks, sum)
		}
	}
	if len(want.Skipped) != 2 || want.Skipped[0].Record != "b2" || want.Skipped[1].Record != "x" {
		t.Errorf("skipped: got %+v, want b2 of shard 2 and x of the input", want.Skipped)
	}
	for _, order := range [][]int{{2, 1, 0}, {1, 0, 2}, {1, 1, 2, 0, 1}} {
		var given []Shard
		for _, k := range order {
			given = append(given, s[k])
		}
		if got, err := mergeAll(in, manifests.BBox, given); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("order %v: %v, or another manifest", order, err)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(in *manifests.Manifest, s []Shard) []Shard
		round  manifests.Tier
		want   string
	}{
		"none":          {func(in *manifests.Manifest, s []Shard) []Shard { return nil }, manifests.BBox, "got no shards"},
		"one forgotten": {func(in *manifests.Manifest, s []Shard) []Shard { return s[:2] }, manifests.BBox, "1 of 3 bbox images have no mask and no skip in any shard, the first is b2: name"},
		// b1 has an earlier run's mask in the input, and b0 an earlier run's skip
		"one thrice":  {func(in *manifests.Manifest, s []Shard) []Shard { return []Shard{s[2], s[2], s[2]} }, manifests.BBox, "2 of 3 bbox images have no mask and no skip in any shard, the first is b0"},
		"other round": {func(in *manifests.Manifest, s []Shard) []Shard { return s }, manifests.Label, "s0: is of another round, or of another input: b0 (bbox)"},
		"no round":    {func(in *manifests.Manifest, s []Shard) []Shard { return s }, "", "1 of 1 label images"},
		"two masks": {func(in *manifests.Manifest, s []Shard) []Shard {
			s[2].Manifest.Records[0].Masks = []manifests.Mask{transferred(manifests.BBox, "another", "m")}
			return s
		}, manifests.BBox, "b0: s0 and s2 disagree: got a mask s0 and a mask another: leave"},
		"mask and skip": {func(in *manifests.Manifest, s []Shard) []Shard {
			s[0].Manifest.Records[2].Masks = []manifests.Mask{transferred(manifests.BBox, "made", "m")}
			return s
		}, manifests.BBox, "b2: s0 and s2 disagree: got a mask made and a skip"},
		"two models": {func(in *manifests.Manifest, s []Shard) []Shard {
			s[1].Manifest.Records[1].Masks[0].Used[1] = "another"
			return s
		}, manifests.BBox, "s0 and s1 learned different models"},
		"stage":    {func(in *manifests.Manifest, s []Shard) []Shard { return append(s, Shard{"in", in}) }, manifests.BBox, `in: got a manifest of stage "split"`},
		"settings": {func(in *manifests.Manifest, s []Shard) []Shard { s[1].Manifest.Config = "d"; return s }, manifests.BBox, "s1: was made with other settings than s0"},
		"version":  {func(in *manifests.Manifest, s []Shard) []Shard { s[1].Manifest.Version = "v8"; return s }, manifests.BBox, `s1: got version "v8", want "v9" as s0 has`},
		"seed":     {func(in *manifests.Manifest, s []Shard) []Shard { s[2].Manifest.Seed = 4; return s }, manifests.BBox, "s2: got seed 4, want 0 as s0 has"},
		"input":    {func(in *manifests.Manifest, s []Shard) []Shard { s[1].Manifest.Parent = "p"; return s }, manifests.BBox, "s1: was made from another manifest than s0"},
		"records": {func(in *manifests.Manifest, s []Shard) []Shard {
			s[1].Manifest.Records[3].Image.SHA256 = "p"
			return s
		}, manifests.BBox, "s1: its records are not those of the input"},
	} {
		in, s := sharded()
		if _, err := mergeAll(in, c.round, c.change(in, s)); err == nil || !strings.HasPrefix(err.Error(), "transfer: merge: "+c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
