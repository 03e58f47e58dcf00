package ingest

import (
	"slices"

	"hdseg/manifests"
)

// A Duplicate says that a record shows the same picture as one before it (test records come before training records). Nothing is removed for
// it but what Split removes; it is for a person to look at.
type Duplicate struct {
	Record, Of string // split/id
	Distance   int    // differing bits of 128; -1 when the pixels are equal
}

// duplicates finds equal and near pictures among records, in order, and notes them on the later record. hashes[i] belongs to
// records[i]. Each record is compared with the first of every group of like pictures only, so that a thousand copies of a
// placeholder give a thousand lines and not half a million.
func duplicates(records []manifests.Record, hashes []nearHash, limit int) []Duplicate {
	order := make([]int, len(records))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return rank(&records[a]) - rank(&records[b])
	})
	var out []Duplicate
	equal := make(map[manifests.Digest]int, len(records))
	var index nearIndex
	var firsts []int // of the groups, as the index numbers them
	for _, i := range order {
		r := &records[i]
		d := Duplicate{Record: name(r)}
		if k, ok := equal[r.Image.Pixels]; ok {
			if records[k].Image.Path == r.Image.Path {
				continue // two objects of one picture
			}
			d.Of, d.Distance = name(&records[k]), -1
			r.Image.Notes = append(r.Image.Notes, manifests.DuplicateNote+d.Of)
		} else if k, distance := index.nearest(hashes[i], limit); k >= 0 {
			equal[r.Image.Pixels] = i
			d.Of, d.Distance = name(&records[firsts[k]]), distance
			r.Image.Notes = append(r.Image.Notes, manifests.NearDuplicateNote+d.Of)
		} else {
			equal[r.Image.Pixels] = i
			index.add(hashes[i])
			firsts = append(firsts, i)
			continue
		}
		out = append(out, d)
	}
	return out
}

func rank(r *manifests.Record) int {
	if r.Split == manifests.Test {
		return 0
	}
	return 1
}

func name(r *manifests.Record) string { return string(r.Split) + "/" + r.ID }
