package manifests

import (
	"slices"
	"strings"
)

// Alike returns for every training image that shows the same picture as another one, or nearly, its
// group, named for the first id: equal bytes or pixels, or noted by ingest as duplicates, also by
// way of a third or of a test image. An image that is not in it is a group of its own.
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

// TestOverlap returns a function that finds a record's picture in the test split of m: the id of
// the test record and what agrees (id, sha256 or pixels, tried in that order), "" for none.
func TestOverlap(m *Manifest) func(*Record) (id, by string) {
	ids := map[string]bool{}
	bytes, pixels := map[Digest]string{}, map[Digest]string{}
	for i := range m.Records {
		if r := &m.Records[i]; r.Split == Test {
			ids[r.ID] = true
			bytes[r.Image.SHA256], pixels[r.Image.Pixels] = r.ID, r.ID
		}
	}
	delete(bytes, "")
	delete(pixels, "")
	return func(r *Record) (id, by string) {
		if ids[r.ID] {
			return r.ID, "id"
		}
		if id, ok := bytes[r.Image.SHA256]; ok {
			return id, "sha256"
		}
		if id, ok := pixels[r.Image.Pixels]; ok {
			return id, "pixels"
		}
		return "", ""
	}
}
