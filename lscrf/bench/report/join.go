package report

import (
	"cmp"
	"fmt"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// Join puts the rows of tables that were measured in several runs into one table per class, in the
// order of the classes' first tables. Tables of a class need equal manifests, seeds, images, masks
// and superpixels. Where they differ in other settings, these are left empty in Made. The first
// row's balance is the main one. A row that two tables have is an error.
func Join(tables ...*bench.Table) ([]*bench.Table, error) {
	var out []*bench.Table
	for _, b := range tables {
		i := slices.IndexFunc(out, func(o *bench.Table) bool { return o.Oracle.Class == b.Oracle.Class })
		if i < 0 {
			out = append(out, &bench.Table{Test: b.Test, Rows: []bench.Row{}, OtherBalances: []bench.Row{}, Oracle: b.Oracle, Best: b.Best,
				Made: b.Made, Missing: []lscrf.Mix{}})
			i = len(out) - 1
		}
		if err := join(out[i], b); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Oracle.Class, err)
		}
	}
	for _, o := range out {
		have := func(m lscrf.Mix) bool {
			return slices.ContainsFunc(o.All(), func(r bench.Row) bool { return mixKey(r) == m.Key() })
		}
		o.Missing = slices.DeleteFunc(o.Missing, have)
	}
	return out, nil
}

// join adds the rows of b.
func join(to, b *bench.Table) error {
	switch {
	case !slices.Equal(to.Test, b.Test):
		return fmt.Errorf("the tables were measured on other images, or on images in another order: %d and %d", len(to.Test), len(b.Test))
	case len(b.Oracle.Counts) != len(b.Test):
		return fmt.Errorf("the oracle row has counts of %d images, want %d", len(b.Oracle.Counts), len(b.Test))
	case to.Made.Manifest != b.Made.Manifest:
		return fmt.Errorf("the tables were made from different manifests: %s and %s (hdseg bench --compare tells what changed)",
			cmp.Or(to.Made.Manifest, "one that is not named"), cmp.Or(b.Made.Manifest, "one that is not named"))
	case to.Made.Seed != b.Made.Seed:
		return fmt.Errorf("the tables have different seeds: %d and %d", to.Made.Seed, b.Made.Seed)
	}
	if err := Comparable(to, b.Test, b.Oracle.Counts, b.Made.Truth); err != nil {
		return err
	}
	if !slices.EqualFunc(to.Oracle.Counts, b.Oracle.Counts, sameCounts) {
		return fmt.Errorf("the tables have other superpixels: with their true labels one has %s per class, the other %s",
			to.Oracle.PerClassPooled.Format(2), b.Oracle.PerClassPooled.Format(2))
	}
	for _, r := range b.All() {
		if len(r.Counts) != len(b.Test) {
			return fmt.Errorf("%s has counts of %d images, want %d: nothing can be tested", r.Name(), len(r.Counts), len(b.Test))
		}
		if !slices.EqualFunc(r.Counts, b.Oracle.Counts, sameTruth) {
			return fmt.Errorf("%s was measured with other masks than the oracle row beside it", r.Name())
		}
		if slices.ContainsFunc(to.All(), func(o bench.Row) bool { return fullName(o) == fullName(r) }) {
			return fmt.Errorf("two tables have a row %s, balance %s", r.Name(), r.Balance)
		}
		if len(to.Rows) == 0 || to.Rows[0].Balance == r.Balance {
			to.Rows = append(to.Rows, r)
		} else {
			to.OtherBalances = append(to.OtherBalances, r)
		}
	}
	for _, m := range b.Missing {
		if !slices.ContainsFunc(to.Missing, func(o lscrf.Mix) bool { return o.Key() == m.Key() }) {
			to.Missing = append(to.Missing, m)
		}
	}
	for _, d := range []struct{ to, b *manifests.Digest }{{&to.Made.Truth, &b.Made.Truth}, {&to.Made.Setup, &b.Made.Setup},
		{&to.Made.Train, &b.Made.Train}, {&to.Made.Settings, &b.Made.Settings}} {
		if *d.to != *d.b {
			*d.to = ""
		}
	}
	return nil
}

// sameTruth tells whether two labelings are of pictures whose labels have equal areas.
func sameTruth(a, b *metric.Confusion) bool {
	for t := range min(a.Labels, b.Labels) {
		if a.Truth(t) != b.Truth(t) {
			return false
		}
	}
	return a.Labels == b.Labels
}

// sameCounts tells whether two labelings have equal confusions.
func sameCounts(a, b *metric.Confusion) bool { return a.Labels == b.Labels && slices.Equal(a.N, b.N) }
