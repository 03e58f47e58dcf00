package pipeline

import (
	"reflect"
	"strings"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// confusion returns counts of true ground, true figure, each predicted ground and figure.
func confusion(gg, gf, fg, ff int64) *metric.Confusion {
	c := metric.NewConfusion(2)
	c.N[0], c.N[1], c.N[3], c.N[4] = gg, gf, fg, ff
	return c
}

func TestIdleModelsAreNamed(t *testing.T) {
	spec := func(terms string) lscrf.Spec {
		return lscrf.Spec{Tiers: lscrf.Mix{manifests.Manual}, Model: lscrf.Linear, Terms: terms, Balance: "paper"}
	}
	got := Idle([]bench.Measured{
		{Spec: spec(lscrf.Unary), Score: &bench.Score{Labels: 2, Images: []*metric.Confusion{confusion(9, 1, 2, 8)}}},
		{Spec: spec(lscrf.Pairwise), Score: &bench.Score{Labels: 2, Images: []*metric.Confusion{confusion(10, 0, 10, 0), confusion(5, 0, 1, 0)}}},
		{Spec: spec(lscrf.Pairwise), Score: &bench.Score{Labels: 2}}, // no test images
	})
	if len(got) != 1 || !strings.Contains(got[0], "paper/manual-linear-pairwise gives every pixel the same label") {
		t.Errorf("got %q, want the second model alone", got)
	}
}

func TestPicturesAreBestMiddleAndWorst(t *testing.T) {
	var ids []string
	var counts bench.Counts
	for i, figure := range []int64{5, 9, 1, 7, 3, 8, 2, 6, 4, 0} { // figure IoU in tenths
		ids = append(ids, string(rune('a'+i)))
		counts = append(counts, confusion(10, 0, 10-figure, figure))
	}
	counts[9] = confusion(20, 0, 0, 0) // neither figure nor prediction: no score
	got := map[string][]string{}
	for _, p := range pickTest(ids, counts) {
		got[p.kind] = append(got[p.kind], p.id)
	}
	// In order of IoU: b 9, f 8, d 7, h 6, a 5, i 4, e 3, g 2, c 1.
	order := []string{"b", "f", "d", "h", "a", "i", "e", "g", "c"}
	n := min(shownEach, 3)
	want := map[string][]string{"best": order[:n], "median": order[(9-n)/2 : (9-n)/2+n], "worst": order[9-n:]}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPicturesAreNotOfABaseline(t *testing.T) {
	row := func(model, terms string, tiers ...manifests.Tier) bench.Row {
		return bench.Row{Model: model, Terms: terms, Tiers: tiers}
	}
	rows := []bench.Row{
		row(lscrf.Trees, lscrf.Pairwise, "manual"),
		row(lscrf.Linear, lscrf.Pairwise, "manual", "bbox"),
		row(lscrf.Linear, lscrf.Unary, "manual", "bbox"),
		row(lscrf.Trees, lscrf.Unary, "manual", "bbox"),
		row(lscrf.Pseudolikelihood, lscrf.Pairwise, "manual", "bbox"),
		row(lscrf.Linear, lscrf.Unary, "label"),
		row(lscrf.Linear, lscrf.Unary, "external:sam"),
	}
	for _, c := range []struct {
		rows []bench.Row
		want int
	}{{nil, -1}, {rows, 3}, {rows[:3], 1}, {rows[4:], 0}, {rows[5:], 1}, {rows[:1], 0}} {
		if got := Shown(c.rows); got != c.want {
			t.Errorf("of %d rows: got %d, want %d", len(c.rows), got, c.want)
		}
	}
}

func TestShardsPartAManifest(t *testing.T) {
	m := &manifests.Manifest{Records: make([]manifests.Record, 7)}
	for i := range m.Records {
		m.Records[i].ID = string(rune('a' + i))
	}
	got := ""
	for _, r := range (Shard{1, 3}).Cut(m).Records {
		got += r.ID
	}
	if got != "be" {
		t.Errorf("shard 1 of 3 of abcdefg: got %q, want be", got)
	}
	if all := (Shard{}).Cut(m); all != m {
		t.Error("no shard: want the manifest itself")
	}
}
