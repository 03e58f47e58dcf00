package report

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
)

// part is a table of some of a table's rows.
func part(b *bench.Table, is func(r bench.Row) bool) *bench.Table {
	out := *b
	isNot := func(r bench.Row) bool { return !is(r) }
	out.Rows = slices.DeleteFunc(slices.Clone(b.Rows), isNot)
	out.OtherBalances = slices.DeleteFunc(slices.Clone(b.OtherBalances), isNot)
	return &out
}

func kind(model string) func(bench.Row) bool {
	return func(r bench.Row) bool { return r.Model == model }
}

// Rows of two runs, joined, answer the same questions as one run of all, p corrected for both classes together.
func TestJoinIsOneTable(t *testing.T) {
	manual := func(r bench.Row) bool { return lscrf.Mix(r.Tiers).Key() == "manual" }
	horse, dog := part(table("horse", 40, 1), manual), part(table("dog", 30, 2), manual)
	horse.Made = bench.Made{Manifest: "m", Setup: "same", Train: "one"}
	trees := part(horse, kind(lscrf.Trees))
	trees.Made.Train = "another"
	trees.Missing = []lscrf.Mix{{"manual"}, {"external:tool"}}
	got, err := Join(part(horse, kind(lscrf.Linear)), dog, trees)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(got[0].Rows) != len(horse.Rows) || !reflect.DeepEqual(got[1].Rows, dog.Rows) {
		t.Fatalf("got %d tables, of %d and %d rows", len(got), len(got[0].Rows), len(got[1].Rows))
	}
	if m := got[0].Made; m.Manifest != "m" || m.Setup != "same" || m.Train != "" {
		t.Errorf("made from: got %+v, want what both say", m)
	}
	if m := got[0].Missing; len(m) != 1 || m[0].Key() != "external:tool" {
		t.Errorf("missing: got %v, want the mix that has no row", m)
	}
	joined, whole := must(Differences(t.Context(), 100, 1, got...)), must(Differences(t.Context(), 100, 1, horse, dog))
	if len(joined) != 8 { // of each class two models' terms, and two terms' models
		t.Errorf("got %d comparisons, want 8", len(joined))
	}
	for _, d := range joined {
		if !slices.Contains(whole, d) {
			t.Errorf("%+v is not in the table of one run", d)
		}
	}
	for _, d := range must(Differences(t.Context(), 100, 1, horse)) { // alone it is corrected for less
		i := slices.IndexFunc(joined, func(o Difference) bool { return o.Class == "horse" && o.Question == d.Question && o.A == d.A })
		if i < 0 || joined[i].PHolm.V < d.PHolm.V || d.Verdict == Better && joined[i].PHolm.V == d.PHolm.V {
			t.Errorf("%s, %s: p alone %s, joined %s", d.Question, d.A, d.PHolm, joined[i].PHolm)
		}
	}
}

// Rows under another balance than the first row's stand apart, whatever their own table had first.
func TestJoinSortsBalances(t *testing.T) {
	b := table("horse", 10, 1)
	none := part(b, kind(lscrf.Linear))
	for i := range none.Rows {
		none.Rows[i].Balance = "none"
	}
	got, err := Join(b, none)
	if err != nil || len(got[0].Rows) != 12 || len(got[0].OtherBalances) != 6 {
		t.Fatalf("got %v, %+v", err, got)
	}
}

func TestJoinRefusesWhatDoesNotBelongTogether(t *testing.T) {
	for want, change := range map[string]func(b *bench.Table){
		"other images":        func(b *bench.Table) { b.Test = append([]string{"x"}, b.Test[1:]...) },
		"different manifests": func(b *bench.Table) { b.Made.Manifest = "m" },
		"different seeds":     func(b *bench.Table) { b.Made.Seed = 7 },
		"other superpixels":   func(b *bench.Table) { c := b.Oracle.Counts[3].N; c[0], c[1] = c[0]-1, c[1]+1 },
		"other masks":         func(b *bench.Table) { b.Oracle.Counts[3].N[0]++ },
		"counts of 9 images":  func(b *bench.Table) { b.Oracle.Counts = b.Oracle.Counts[1:] },
		"than the oracle row": func(b *bench.Table) { b.Rows[2].Counts[4].N[0]++ },
		"counts of 0 images":  func(b *bench.Table) { b.Rows[1].Counts = nil },
		"two tables have a row manual, linear, unary, balance paper": func(b *bench.Table) { b.Rows[0].Model = lscrf.Linear },
	} {
		b := part(table("horse", 10, 1), kind(lscrf.Trees))
		change(b)
		if _, err := Join(part(table("horse", 10, 1), kind(lscrf.Linear)), b); err == nil || !strings.Contains(err.Error(), "horse: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}
