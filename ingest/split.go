package ingest

import (
	"fmt"
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

// Split returns m without the training records that are in the test split, by id, by the bytes of
// the file or by the decoded pixels, so that ids become unique. Each one removed is listed in the
// result's Skipped (reason in_test) and in overlaps. Near duplicates, which ingest noted on the
// records, stay: a person decides about them. With strict, any overlap is an *OverlapError. m is
// not changed. The result's Stage is "split"; its Parent is for the caller to set.
func Split(m *manifests.Manifest, strict bool) (out *manifests.Manifest, overlaps []Overlap, err error) {
	inTest := manifests.TestOverlap(m)
	out = &manifests.Manifest{Header: m.Header}
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
		overlaps = append(overlaps, o)
		out.Skipped = append(out.Skipped, manifests.Skip{
			Record: r.ID, Reason: InTest, Detail: fmt.Sprintf("the test record %s has the same %s", o.Test, o.By),
		})
	}
	sortSkips(out.Skipped)
	if strict && len(overlaps) > 0 {
		return nil, overlaps, &OverlapError{overlaps}
	}
	return out, overlaps, nil
}

// sortSkips sorts as manifests keep them.
func sortSkips(s []manifests.Skip) {
	slices.SortFunc(s, func(a, b manifests.Skip) int {
		return strings.Compare(a.Record+"\x00"+a.Reason+"\x00"+a.Detail, b.Record+"\x00"+b.Reason+"\x00"+b.Detail)
	})
}
