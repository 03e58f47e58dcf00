package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"hdseg/manifests"
)

// journalDir holds one small file per finished image, and the class models of an expert that is not
// finished, so that a run that was killed does not start again from the first. It may be deleted at
// any time.
const journalDir = ".work/transfer"

// An entry is what the journal keeps of one image.
type entry struct {
	Mask  manifests.Mask
	CPUms float64
}

// workSum names work by everything that its result depends on, the build too if it tells its
// revision: the version alone is the same for many, and what one of them learned need not be what
// another learns.
func workSum(kind string, what []any) manifests.Digest {
	if b := manifests.Revision(); b != "" {
		what = append(slices.Clip(what), b)
	}
	data, err := json.Marshal(append([]any{kind}, what...))
	if err != nil {
		panic("transfer: journal: " + err.Error()) // names, digests and boxes never fail
	}
	return manifests.Sum(data)
}

// workPath is where the journal keeps a kind of work; see workSum.
func workPath(kind string, what []any) string {
	d := workSum(kind, what)
	return path.Join(journalDir, kind, string(d[:2]), string(d))
}

// readKept returns the bytes of a file, and whether it is there.
func readKept(store *manifests.Store, key string) ([]byte, bool, error) {
	data, err := store.Read(key, "")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// recall returns the entry of a key if it is whole and its mask file is still in the store with the
// bytes that were written.
func recall(store *manifests.Store, key string) (entry, bool, error) {
	var e entry
	data, ok, err := readKept(store, key)
	if !ok || err != nil {
		return e, false, err
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, false, nil // of another version; the work is done again
	}
	if _, err := store.Read(e.Mask.Path, e.Mask.SHA256); err != nil || e.Mask.SHA256 == "" {
		return e, false, nil
	}
	return e, true, nil
}

// record stores an entry.
func (e entry) record(store *manifests.Store, key string) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("transfer: journal: %w", err)
	}
	return store.Replace(key, data)
}

// imageKey names the work of one image.
func imageKey(r *manifests.Record, expert, options manifests.Digest, version string) string {
	return workPath("image", []any{r.ID, r.Tier, r.Image.SHA256, r.Image.Orientation, r.Boxes, expert, options, version})
}
