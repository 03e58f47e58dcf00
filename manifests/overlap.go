package manifests

// TestOverlap returns a function that finds a record's picture in the test split of m: the id of the test
// record and what agrees, id, sha256 or pixels, tried in that order; "" for both if there is none. What is not
// known agrees with nothing.
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
