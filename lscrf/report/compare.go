package report

import (
	"fmt"
	"io"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/metric"
)

// A Change is a row of two tables, New minus Old.
type Change struct {
	Difference
	Old    metric.Value `json:"old"` // pooled per-class accuracy in %, on the shared images if there are counts of them
	New    metric.Value `json:"new"`
	Images int          `json:"shared_images"` // on which the test was paired; 0: one of the files has no counts, nothing was tested
}

// Changes is what differs between two tables of the same kind.
type Changes struct {
	Rows    []Change `json:"rows"`
	Added   []string `json:"added"`   // rows of the new table alone
	Removed []string `json:"removed"` // of the old table alone
	OldTest int      `json:"old_test_images"`
	NewTest int      `json:"new_test_images"`
}

// Compare matches the rows of two tables by class, tiers, model, terms and balance and tests each pair on the
// test images that both have.
func Compare(old, now *lscrf.Bench, samples int, seed uint64) *Changes {
	c := &Changes{Rows: []Change{}, Added: []string{}, Removed: []string{}, OldTest: old.Oracle.TestImages, NewTest: now.Oracle.TestImages}
	before := slices.Concat(old.Rows, old.OtherBalances)
	matched := make([]bool, len(before))
	for _, row := range slices.Concat(now.Rows, now.OtherBalances) {
		i := slices.IndexFunc(before, func(r lscrf.Row) bool { return fullName(r) == fullName(row) })
		if i < 0 {
			c.Added = append(c.Added, fullName(row))
			continue
		}
		matched[i] = true
		was := before[i]
		a, b := shared(now.Test, row.Counts, old.Test, was.Counts)
		ch := Change{Difference: difference(a, b, samples, seed), Old: was.PerClassPooled, New: row.PerClassPooled, Images: len(a)}
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
	return c
}

func fullName(r lscrf.Row) string { return r.Class + ": " + rowName(r) + ", balance " + r.Balance }

// shared returns the counts of the images that both lists name, in the order of the first.
func shared(ids []string, a lscrf.Counts, other []string, b lscrf.Counts) (x, y lscrf.Counts) {
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

// Text prints the changes.
func (c *Changes) Text(w io.Writer) error {
	p := &printer{w: w}
	p.printf("\nPer-class accuracy in %%, pooled, new minus old, paired over the test images that both tables have\n")
	p.printf("(p: permutation test, corrected for %d rows after Holm)\n", len(c.Rows))
	for _, r := range c.Rows {
		how := fmt.Sprintf("[%s, %s]  p %s  %s, %d images", r.CI[0].Format(2), r.CI[1].Format(2), r.PHolm.Format(4), r.Verdict, r.Images)
		if r.Images == 0 {
			how = "not tested: one of the tables has no counts per image"
		}
		p.printf("%-64s %6s -> %6s  %+.2f  %s\n", r.A, r.Old.Format(2), r.New.Format(2), r.Difference.Difference.V, how)
	}
	for _, r := range c.Added {
		p.printf("only in the new table: %s\n", r)
	}
	for _, r := range c.Removed {
		p.printf("only in the old table: %s\n", r)
	}
	if c.OldTest != c.NewTest {
		p.printf("the old table was measured on %d images, the new one on %d\n", c.OldTest, c.NewTest)
	}
	return p.err
}
