package manifests

import "strings"

// Alike returns for every training image that shows the same picture as another one, or nearly, its
// group, named for the first id: equal bytes or pixels, or noted by ingest as duplicates, also by
// way of a third or of a test image. An image that is not in it is a group of its own.
func Alike(records []Record) map[string]string {
	u := make(union, len(records))
	for i := range u {
		u[i] = i
	}
	// the first that has it
	files, pixels, noted := map[Digest]int{}, map[Digest]int{}, map[string]int{}
	for i := range records {
		r := &records[i]
		u.join(i, first(files, r.Image.SHA256, i))
		if r.Image.Pixels != "" {
			u.join(i, first(pixels, r.Image.Pixels, i))
		}
		for _, note := range r.Image.Notes {
			for _, kind := range []string{DuplicateNote, NearDuplicateNote} {
				if of, ok := strings.CutPrefix(note, kind); ok {
					k := first(noted, of, len(u))
					if k == len(u) {
						u = append(u, k)
					}
					u.join(i, k)
				}
			}
		}
	}
	for i := range records {
		if k, ok := noted[string(records[i].Split)+"/"+records[i].ID]; ok {
			u.join(i, k)
		}
	}
	// training images and first id of a set, at its root
	size, least := make([]int, len(u)), make([]string, len(u))
	for i := range records {
		if r, k := &records[i], u.root(i); r.Split == Train {
			if size[k]++; size[k] == 1 || r.ID < least[k] {
				least[k] = r.ID
			}
		}
	}
	out := map[string]string{}
	for i := range records {
		if r, k := &records[i], u.root(i); r.Split == Train && size[k] > 1 {
			out[r.ID] = least[k]
		}
	}
	return out
}

// first returns what m has for a key, and before that makes it i if there is nothing.
func first[K comparable](m map[K]int, key K, i int) int {
	if was, ok := m[key]; ok {
		return was
	}
	m[key] = i
	return i
}

// A union joins numbers to sets: it holds a parent of each, of a root itself.
type union []int

func (u union) root(i int) int {
	for u[i] != i {
		u[i] = u[u[i]] // halve the path
		i = u[i]
	}
	return i
}

func (u union) join(a, b int) { u[u.root(a)] = u.root(b) }

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
