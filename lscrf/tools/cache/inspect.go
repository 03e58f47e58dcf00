package cache

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"

	"hdseg/manifests"
)

// A Summary says what a feature file, or the folder of a cache, holds.
type Summary struct {
	Key    manifests.Digest // of all that went in: manifest, settings and vocabulary
	Dim    int              // features per superpixel
	Images int
	Files  int
}

// Inspect reads the schema of an Arrow file of a cache, or the index of a cache's folder.
func Inspect(name string) (_ Summary, err error) {
	if data, err := os.ReadFile(filepath.Join(name, "index.json")); err == nil {
		var ix index
		if err := json.Unmarshal(data, &ix); err != nil {
			return Summary{}, err
		}
		s := Summary{Key: ix.Key, Dim: ix.Dim, Files: len(ix.Shards)}
		for _, shard := range ix.Shards {
			s.Images += len(shard.Images)
		}
		return s, nil
	}
	data, release, err := mapFile(name)
	if err != nil {
		return Summary{}, err
	}
	defer release()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a damaged Arrow file: %v", p)
		}
	}()
	r, err := newReader(data)
	if err != nil {
		return Summary{}, err
	}
	defer r.Close()
	s := Summary{Key: metaKey(r.Schema().Metadata()), Images: r.NumRecords(), Files: 1}
	rows, ok := r.Schema().FieldsByName("features")
	if !ok || s.Key == "" {
		return s, fmt.Errorf("an Arrow file that hdseg did not write")
	}
	if list, ok := rows[0].Type.(*arrow.ListType); ok {
		if row, ok := list.Elem().(*arrow.FixedSizeListType); ok {
			s.Dim = int(row.Len())
		}
	}
	return s, nil
}

// Files returns the digests of the files of a cache beside its index, by their paths in the store.
func Files(store *manifests.Store, dir string) (map[string]manifests.Digest, error) {
	ix, err := readIndex(store, dir)
	if err != nil {
		return nil, err
	}
	files := map[string]manifests.Digest{}
	for _, s := range ix.Shards {
		files[path.Join(dir, s.File)] = s.SHA256
	}
	return files, nil
}

// Check compares all bytes of a cache with what was written: the index with its only form, the
// files with their digests in it. It returns what is wrong, each with its path in the store.
func Check(store *manifests.Store, dir string) (faults []error) {
	data, err := store.Read(IndexPath(dir), "")
	if err != nil {
		return []error{fmt.Errorf("%s: %w", IndexPath(dir), err)}
	}
	var ix index
	err = json.Unmarshal(data, &ix)
	if again, _ := json.Marshal(ix); err != nil || string(again)+"\n" != string(data) {
		return []error{fmt.Errorf("%s: is not what was written", IndexPath(dir))}
	}
	c, err := Open(store, dir)
	if err != nil {
		return []error{err}
	}
	defer c.Close()
	for i := range c.Len() {
		if _, err := c.Get(i); err != nil {
			faults = append(faults, err)
		}
	}
	for _, m := range c.shards {
		if sum := manifests.Sum(m.data); sum != m.SHA256 {
			faults = append(faults, fmt.Errorf("%s: the bytes changed: got sha256 %s, want %s", m.path, sum.Short(),
				m.SHA256.Short()))
		}
	}
	return faults
}
