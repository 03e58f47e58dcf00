package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"hdseg/manifests"
)

// InTest is the reason code of a training record that Split removes.
const InTest = "in_test"

// An Overlap is a training record that also is in the test split.
type Overlap struct {
	Train, Test string // ids
	By          string // what agrees: id, sha256 or pixels
}

// An OverlapError lists every overlap that a strict Split found.
type OverlapError struct{ Overlaps []Overlap }

func (e *OverlapError) Error() string {
	o := e.Overlaps[0]
	return fmt.Sprintf("split: %d training pictures are in the test split; the first: %s is %s by %s", len(e.Overlaps),
		o.Train, o.Test, o.By)
}

// SplitOptions say how a data set is parted into training and test.
type SplitOptions struct {
	Strict bool // a training picture that is also in the test split is an error
	// TestShare is the share of the pictures with manual masks, 0..1, that become the test split
	// where the sources have none: near duplicates together, one group at least, and one group at
	// least is left to train on. The ids decide which, so that pictures that are added change
	// little. 0: none.
	TestShare float64
}

// Validate reports a TestShare that is out of range.
func (o SplitOptions) Validate() error {
	if !(o.TestShare >= 0 && o.TestShare < 1) {
		return fmt.Errorf("got %v, want 0 to below 1", o.TestShare)
	}
	return nil
}

// Settings are what the result depends on, for digests: those of version 0.2.0 had Strict alone.
func (o SplitOptions) Settings() []any {
	if o.TestShare == 0 {
		return []any{o.Strict}
	}
	return []any{o.Strict, o.TestShare}
}

// A Parted is what Split made.
type Parted struct {
	Manifest *manifests.Manifest // Stage is "split"; Parent is for the caller to set
	Overlaps []Overlap           // the records that were removed, in their order
	Held     int                 // records with a manual mask that were held out for TestShare
}

// Split returns m without the training records that are in the test split, by id, by the bytes of
// the file or by the decoded pixels, so that ids become unique. Each one removed is listed in the
// result's Skipped (reason in_test) and in Overlaps. Near duplicates, which ingest noted on the
// records, stay: a person decides about them. With Strict, any overlap is an *OverlapError. m is
// not changed.
func Split(m *manifests.Manifest, o SplitOptions) (*Parted, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("split: testShare: %w", err)
	}
	p := &Parted{}
	m, p.Held = holdOut(m, o.TestShare)
	inTest := manifests.TestOverlap(m)
	out := &manifests.Manifest{Header: m.Header}
	out.Stage = "split"
	out.Skipped = slices.Clone(m.Skipped)
	for _, r := range m.Records {
		o := Overlap{Train: r.ID}
		if r.Split == manifests.Train {
			o.Test, o.By = inTest(&r)
		}
		if o.By == "" {
			out.Records = append(out.Records, r)
			continue
		}
		p.Overlaps = append(p.Overlaps, o)
		out.Skipped = append(out.Skipped, manifests.Skip{
			Record: r.ID, Reason: InTest, Detail: fmt.Sprintf("the test record %s has the same %s", o.Test, o.By),
		})
	}
	sortSkips(out.Skipped)
	if o.Strict && len(p.Overlaps) > 0 {
		return nil, &OverlapError{p.Overlaps}
	}
	if p.Held > 0 { // a manifest has its records by split and id
		slices.SortFunc(out.Records, func(a, b manifests.Record) int { return a.Compare(&b) })
	}
	p.Manifest = out
	return p, nil
}

// holdOut returns m with a share of its manual records in the test split, and their number. A
// manifest with a test split, or with fewer than two groups of pictures, stays as it is.
func holdOut(m *manifests.Manifest, share float64) (*manifests.Manifest, int) {
	if share == 0 || slices.ContainsFunc(m.Records, func(r manifests.Record) bool { return r.Split == manifests.Test }) {
		return m, 0
	}
	alike := manifests.Alike(m.Records)
	group := func(r *manifests.Record) string { return cmp.Or(alike[r.ID], r.ID) }
	draw := map[string]manifests.Digest{} // of groups with a manual mask
	for i := range m.Records {
		if _, ok := m.Records[i].MaskOf(manifests.Manual); ok {
			g := group(&m.Records[i])
			draw[g] = manifests.Sum([]byte(fmt.Sprintf("%d %s", m.Seed, g)))
		}
	}
	if len(draw) < 2 {
		return m, 0
	}
	order := slices.SortedFunc(maps.Keys(draw), func(a, b string) int { return cmp.Compare(draw[a], draw[b]) })
	test := map[string]bool{}
	for _, g := range order[:min(max(int(math.Round(share*float64(len(order)))), 1), len(order)-1)] {
		test[g] = true
	}
	out := &manifests.Manifest{Header: m.Header, Records: slices.Clone(m.Records)}
	moved := map[string]string{} // what notes call a picture, before and after
	for i := range out.Records {
		r := &out.Records[i]
		if _, ok := r.MaskOf(manifests.Manual); ok && test[group(r)] {
			moved["train/"+r.ID] = "test/" + r.ID
			r.Split = manifests.Test
		}
	}
	for i := range out.Records {
		notes := slices.Clone(out.Records[i].Image.Notes)
		for k, note := range notes {
			if kind, of, ok := strings.Cut(note, ":"); ok && moved[of] != "" {
				notes[k] = kind + ":" + moved[of]
			}
		}
		out.Records[i].Image.Notes = notes
	}
	return out, len(moved)
}

// sortSkips sorts as manifests keep them.
func sortSkips(s []manifests.Skip) {
	slices.SortFunc(s, func(a, b manifests.Skip) int { return a.Compare(&b) })
}
