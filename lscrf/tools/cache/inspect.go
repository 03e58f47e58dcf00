package cache

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

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
func Inspect(name string) (Summary, error) {
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
	f, err := os.Open(name)
	if err != nil {
		return Summary{}, err
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
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
