package report

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// A Change is a row of two tables, New minus Old.
type Change struct {
	Difference
	// pooled per-class accuracy in %, on the shared images if there are counts of them
	Old metric.Value `json:"old"`
	New metric.Value `json:"new"`
	// on which the test was paired; 0: one of the files has no counts, nothing was tested
	Images int `json:"shared_images"`
}

// Changes is what differs between two tables of the same kind.
type Changes struct {
	Rows    []Change `json:"rows"`
	Added   []string `json:"added"`           // rows of the new table alone
	Removed []string `json:"removed"`         // of the old table alone
	Remarks []string `json:"remarks"`         // other differences: settings, seed, manifest
	OldTest int      `json:"old_test_images"` // test images of the older table
	NewTest int      `json:"new_test_images"` // those of this one
}

// SameRows returns an error if an older table is of another class, or has none of the rows that a
// new one will have: there is nothing to compare then. Without specs the rows are not known yet.
func SameRows(old *bench.Table, class string, specs []lscrf.Spec) error {
	if old.Oracle.Class != class {
		return fmt.Errorf("the older table is of another class: got %s, want %s", old.Oracle.Class, class)
	}
	if len(specs) == 0 {
		return nil
	}
	for _, r := range old.All() {
		if slices.ContainsFunc(specs, func(s lscrf.Spec) bool {
			return fullName(r) == fullName(bench.Row{Class: class, Tiers: s.Tiers, Model: s.Model, Terms: s.Terms, Balance: s.Balance})
		}) {
			return nil
		}
	}
	return errors.New("the older table has none of the rows that are asked for (tiers, model, terms and balance)")
}

// Comparable returns an error if the scores of an older table cannot be compared: it was measured
// on none of the new one's images, or with other masks of them. counts are of any labeling of the
// new one's images, such as the oracle's.
func Comparable(old *bench.Table, test []string, counts bench.Counts, truth manifests.Digest) error {
	a, b := shared(test, counts, old.Test, old.Oracle.Counts)
	if len(old.Oracle.Counts) != len(old.Test) || len(old.Test) == 0 {
		return errors.New("the older table has no counts of its images: nothing can be tested")
	}
	if len(a) == 0 {
		return fmt.Errorf("the older table was measured on none of the %d images: its %d are others", len(test), len(old.Test))
	}
	other := 0
	for i := range a {
		if !sameTruth(a[i], b[i]) {
			other++
		}
	}
	if other > 0 {
		return fmt.Errorf("the older table was measured with other masks: those of %d of %d images in both have other areas", other, len(a))
	}
	x, y := slices.Sorted(slices.Values(test)), slices.Sorted(slices.Values(old.Test))
	if was := old.Made.Truth; was != "" && truth != "" && was != truth && slices.Equal(x, y) {
		return fmt.Errorf("the older table was measured with other masks of the same images: got %s, want %s", was, truth)
	}
	return nil
}

// remarks say what differs between two tables beside their rows.
func remarks(old, now bench.Made) []string {
	out := []string{}
	if old.Setup == "" {
		return append(out, "the old table does not say from which data and settings it was made: they may differ")
	}
	add := func(differ bool, text string) {
		if differ {
			out = append(out, text)
		}
	}
	add(old.Manifest != now.Manifest, "the tables were made from different manifests")
	add(old.Setup != now.Setup, "the tables have different superpixels or features")
	add(old.Train != now.Train, "the tables have different settings of training")
	add(old.Setup == now.Setup && old.Train == now.Train && old.Settings != "" && old.Settings != now.Settings,
		"the tables have different settings, but not of superpixels, features or training")
	add(old.Seed != now.Seed, fmt.Sprintf("the tables have different seeds: old %d, new %d", old.Seed, now.Seed))
	return out
}

// Compare matches the rows of two tables by class, tiers, model, terms and balance and tests each
// pair on the test images that both have. The masks of these should be the same, see Comparable.
// The only error is that of ctx.
func Compare(ctx context.Context, old, now *bench.Table, samples int, seed uint64) (*Changes, error) {
	often := bench.Resampling(ctx, samples)
	c := &Changes{Rows: []Change{}, Added: []string{}, Removed: []string{}, Remarks: remarks(old.Made, now.Made),
		OldTest: old.Oracle.TestImages, NewTest: now.Oracle.TestImages}
	before := old.All()
	matched := make([]bool, len(before))
	for _, row := range now.All() {
		i := slices.IndexFunc(before, func(r bench.Row) bool { return fullName(r) == fullName(row) })
		if i < 0 {
			c.Added = append(c.Added, fullName(row))
			continue
		}
		matched[i] = true
		was := before[i]
		a, b := shared(now.Test, row.Counts, old.Test, was.Counts)
		ch := Change{Difference: difference(a, b, often, seed, metric.PerClassAccuracy), Old: was.PerClassPooled, New: row.PerClassPooled,
			Images: len(a)}
		if len(a) > 0 {
			ch.New = metric.PerClassAccuracy(metric.Pool(a[0].Labels, a)).Scale(100)
			ch.Old = metric.PerClassAccuracy(metric.Pool(b[0].Labels, b)).Scale(100)
		} else {
			ch.Difference.Difference = row.PerClassPooled.Sub(was.PerClassPooled)
		}
		ch.Class, ch.Question, ch.A, ch.B = row.Class, "new - old", fullName(row), fullName(was)
		c.Rows = append(c.Rows, ch)
	}
	for i, r := range before {
		if !matched[i] {
			c.Removed = append(c.Removed, fullName(r))
		}
	}
	list := make([]Difference, len(c.Rows))
	for i := range c.Rows {
		list[i] = c.Rows[i].Difference
	}
	holm(list)
	for i := range list {
		c.Rows[i].Difference = list[i]
	}
	return c, ctx.Err()
}

func fullName(r bench.Row) string { return r.Class + ": " + r.Name() + ", balance " + r.Balance }

// shared returns the counts of the images that both lists name, in the order of the first.
func shared(ids []string, a bench.Counts, other []string, b bench.Counts) (x, y bench.Counts) {
	if len(ids) != len(a) || len(other) != len(b) {
		return nil, nil
	}
	at := map[string]int{}
	for i, id := range other {
		at[id] = i
	}
	for i, id := range ids {
		if j, ok := at[id]; ok && a[i].Labels == b[j].Labels {
			x, y = append(x, a[i]), append(y, b[j])
		}
	}
	return x, y
}

// untested says why a pair without shared counts has no test.
func (c *Change) untested() string {
	switch {
	case !c.Old.OK:
		return "no old score"
	case !c.New.OK:
		return "no new score"
	}
	return "not tested: no counts of images that both tables have"
}

// Section shows the changes.
func (c *Changes) Section() Section {
	s := Section{
		Title: "Against the older table",
		Text: []string{"Pooled per-class accuracy in %, new minus old, paired over the test images that both tables have; p corrected " +
			"after Holm."},
		Head: []string{"row", "difference", "verdict", "old", "new", "p", "images"},
	}
	if len(c.Rows) == 0 {
		s.Text = []string{"No row is in both tables: nothing is compared."}
	}
	for _, r := range c.Remarks {
		s.Text = append(s.Text, "Note: "+r+".")
	}
	only := func(title string, names []string) {
		if len(names) > 0 {
			s.Text = append(s.Text, title+": "+strings.Join(names, "; ")+".")
		}
	}
	only("Only in the new table", c.Added)
	only("Only in the old table", c.Removed)
	if c.OldTest != c.NewTest {
		s.Text = append(s.Text, fmt.Sprintf("The old table was measured on %d images, the new one on %d.", c.OldTest, c.NewTest))
	}
	under := ""
	for _, r := range c.Rows {
		verdict := r.Verdict
		if r.Images == 0 {
			verdict = r.untested()
		}
		name, balance, _ := strings.Cut(strings.TrimPrefix(r.A, r.Class+": "), ", balance ")
		if heading := r.Class + ", balance " + balance; heading != under {
			under = heading
			s.Rows = append(s.Rows, []string{heading})
		}
		s.Rows = append(s.Rows, []string{name, r.cell(), verdict, r.Old.Format(2), r.New.Format(2), r.PHolm.Format(4),
			fmt.Sprint(r.Images)})
	}
	return s
}
