package manifests

import (
	"slices"
	"strings"
)

// Alike returns for every training image that shows the same picture as another one, or nearly, the group of all that do, named for the
// first of their ids: those with equal bytes or pixels, and those that ingest noted as duplicates or near duplicates of one another, be it
// by way of a third or of a test image. An image that is not in it is a group of its own.
func Alike(records []Record) map[string]string {
	u := union{}
	name := func(r *Record) string { return string(r.Split) + "/" + r.ID }
	for i := range records {
		r := &records[i]
		u.join(name(r), "bytes "+string(r.Image.SHA256))
		if r.Image.Pixels != "" {
			u.join(name(r), "pixels "+string(r.Image.Pixels))
		}
		for _, note := range r.Image.Notes {
			for _, kind := range []string{DuplicateNote, NearDuplicateNote} {
				if of, ok := strings.CutPrefix(note, kind); ok {
					u.join(name(r), of)
				}
			}
		}
	}
	members := map[string][]string{}
	for i := range records {
		if r := &records[i]; r.Split == Train {
			root := u.root(name(r))
			members[root] = append(members[root], r.ID)
		}
	}
	out := map[string]string{}
	for _, ids := range members {
		if len(ids) > 1 {
			first := slices.Min(ids)
			for _, id := range ids {
				out[id] = first
			}
		}
	}
	return out
}

// A union joins names to sets; it keeps a parent for all but the roots.
type union map[string]string

func (u union) root(name string) string {
	for {
		up, ok := u[name]
		if !ok {
			return name
		}
		if next, ok := u[up]; ok {
			u[name] = next // halve the path
		}
		name = up
	}
}

func (u union) join(a, b string) {
	if a, b = u.root(a), u.root(b); a != b {
		u[a] = b
	}
}
