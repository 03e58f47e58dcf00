package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
)

// ShardIndex is the name of the file that says what a folder of shards holds.
const ShardIndex = "shards.json"

// A Held is something that a prefix holds: a manifest, or a folder of shards.
type Held struct {
	At      string            `json:"at"`   // below the prefix, "" for the prefix itself
	Name    string            `json:"name"` // of shards the folder, "." for the place
	Kind    string            `json:"kind"` // manifest or shards
	Dataset string            `json:"dataset"`
	Stage   string            `json:"stage"`
	Version string            `json:"version"`
	SHA256  manifests.Digest  `json:"sha256"` // of the index
	Parent  manifests.Digest  `json:"parent"` // of the manifest that it was made from; "" for none
	Records int               `json:"records"`
	Counts  []manifests.Count `json:"counts"`
	Shards  int               `json:"shards,omitempty"` // archives
}

// The kinds of Held.
const (
	KindManifest = "manifest"
	KindShards   = "shards"
)

// isIndex tells whether an object may be the index of a manifest, no part or run, or of shards.
func isIndex(key string) bool {
	if path.Base(key) == ShardIndex {
		return true
	}
	return strings.HasSuffix(key, ".yaml") && !strings.HasSuffix(key, ".run.yaml") && !strings.HasSuffix(path.Dir(key), ".d")
}

// mostOf bounds what an index may be, in bytes, 0 for what is named like none: that of a manifest
// of 156,000 records has 30 kB, and one of shards some 5 MB.
func mostOf(key string) int64 {
	switch {
	case !isIndex(key):
		return 0
	case path.Base(key) == ShardIndex:
		return 256 << 20
	}
	return 1 << 20
}

// An Inventory is what there is below a prefix.
type Inventory struct {
	DataSets []Held   `json:"datasets"` // manifests and shards, by the keys of their indexes
	Objects  int      `json:"objects"`  // number of objects below the prefix
	Bytes    int64    `json:"bytes"`
	Foreign  []string `json:"foreign"` // named like indexes, and none
	Markers  []string `json:"markers"` // names with content that end in "/"

	keys   map[string]bool // all objects
	broken map[string]bool // of Foreign: what begins as the index of a manifest does
}

// List says which manifests and shards there are, and how many objects and bytes.
func (b *Bucket) List(ctx context.Context) (*Inventory, error) {
	l, err := b.list(ctx)
	if err != nil {
		return nil, err
	}
	v := &Inventory{DataSets: []Held{}, Objects: len(l.entries), Foreign: []string{}, Markers: append([]string{}, l.markers...)}
	var indexes []string
	v.keys, v.broken = map[string]bool{}, map[string]bool{}
	for k, e := range l.entries {
		v.keys[k] = true
		v.Bytes += e.size
		switch most := mostOf(k); {
		case most == 0:
		case e.size > most:
			v.Foreign = append(v.Foreign, k)
		default:
			indexes = append(indexes, k)
		}
	}
	slices.Sort(indexes)
	err = manifests.Each(ctx, b.opts.Workers, len(indexes), func(ctx context.Context, i int) ([]byte, error) {
		data, _, err := b.get(ctx, indexes[i], "")
		return data, err
	}, func(i int, data []byte, err error) error {
		if h := heldOf(indexes[i], data); err == nil && h != nil {
			v.DataSets = append(v.DataSets, *h)
		} else if err == nil {
			v.Foreign = append(v.Foreign, indexes[i])
			v.broken[indexes[i]] = bytes.HasPrefix(data, []byte("schema: "))
		}
		return err
	})
	slices.Sort(v.Foreign)
	settleShards(v.DataSets)
	return v, err
}

// settleShards says of shards below the place of a manifest that they lie there, too.
func settleShards(held []Held) {
	for i := range held {
		if h := &held[i]; h.Kind == KindShards {
			full := h.Name
			for _, m := range held {
				if name, ok := strings.CutPrefix(full, m.At+"/"); ok && m.Kind == KindManifest && len(m.At) > len(h.At) {
					h.At, h.Name = m.At, name
				}
			}
		}
	}
}

func heldOf(key string, data []byte) *Held {
	if path.Base(key) == ShardIndex {
		return shardsOf(key, data)
	}
	h, err := parseHead(data)
	if err != nil {
		return nil
	}
	at, ok := strings.CutSuffix("/"+key, "/"+h.Name+".yaml")
	if !ok {
		return nil // it was renamed
	}
	return &Held{At: strings.TrimPrefix(at, "/"), Name: h.Name, Kind: KindManifest, Dataset: h.Dataset, Stage: h.Stage,
		Version: h.Version, SHA256: manifests.Sum(data), Parent: h.Parent,
		Records: h.Records, Counts: h.Counts}
}

func shardsOf(key string, data []byte) *Held {
	var x struct {
		Header manifests.Header `json:"header"`
		Shards []struct {
			Split   manifests.Split `json:"split"`
			Tier    manifests.Tier  `json:"tier"`
			Samples []string        `json:"samples"`
		} `json:"shards"`
	}
	if err := json.Unmarshal(data, &x); err != nil || x.Header.Dataset == "" {
		return nil
	}
	h := &Held{Name: path.Dir(key), Kind: KindShards, Dataset: x.Header.Dataset, Stage: x.Header.Stage,
		Version: x.Header.Version, SHA256: manifests.Sum(data), Shards: len(x.Shards)}
	for _, s := range x.Shards {
		n := len(s.Samples)
		h.Records += n
		if k := len(h.Counts); k > 0 && h.Counts[k-1].Split == s.Split && h.Counts[k-1].Tier == s.Tier {
			h.Counts[k-1].Images += n
		} else {
			h.Counts = append(h.Counts, manifests.Count{Split: s.Split, Tier: s.Tier, Images: n})
		}
	}
	return h
}
