// Package shard packs a data set into tar archives that the webdataset library streams, checks them
// member by member, and unpacks them into the same manifest again.
//
// A folder of shards holds plan.json, written before any work starts; SPLIT-TIER-000000.tar and so
// on; shards.json, written last, with the digests of the archives and the manifest's header; and
// SHA256SUMS. Every record is one sample of one shard, that of its split and tier:
//
//	KEY.jpg               the stored picture (.png, ... by its format)
//	KEY.mask.png          the newest mask of its tier, or else the best, upright:
//	                      0 ground, 1 figure, 255 void
//	KEY.mask.TIER.N.png   its other masks, N is the revision
//	KEY.json              the manifest's record, with provenance
//
// KEY is the id, '.' written as %2E because readers end a key at the first dot. Names, order,
// owner, mode and time are fixed, so equal input gives equal bytes.
package shard

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// Options say how shards are cut.
type Options struct {
	TargetBytes int64             // of a full shard, 1 MB..; default 256 MB (ours)
	Splits      []manifests.Split // nil for both
	Tiers       []manifests.Tier  // only records of these tiers; nil for all
}

// Defaults returns the options that are used unless told otherwise.
func Defaults() Options { return Options{TargetBytes: 256 << 20} }

// Validate reports what keeps the options from being used.
func (o Options) Validate() error {
	if o.TargetBytes < 1<<20 {
		return fmt.Errorf("shard: target: got %d bytes, want at least %d", o.TargetBytes, 1<<20)
	}
	return nil
}

// A Plan says what each shard holds, by the manifest, the sizes of its files and the options.
type Plan struct {
	Manifest    manifests.Digest `json:"manifest"`
	TargetBytes int64            `json:"targetBytes"`
	Shards      []Shard          `json:"shards"`
}

// A Shard is one archive.
type Shard struct {
	Name    string           `json:"name"`
	Split   manifests.Split  `json:"split"`
	Tier    manifests.Tier   `json:"tier"`
	Bytes   int64            `json:"bytes"`
	SHA256  manifests.Digest `json:"sha256,omitempty"` // not in a plan
	Samples []string         `json:"samples"`          // ids in their order

	records []*manifests.Record
}

// A member is one file of a sample.
type member struct {
	name string
	path string           // in the store; "" for data
	sum  manifests.Digest // of the bytes
	data []byte
}

const block = 512

func keyOf(r *manifests.Record) string { return strings.ReplaceAll(r.ID, ".", "%2E") }

func tierName(t manifests.Tier) string { return strings.ReplaceAll(string(t), ":", "-") }

func members(r *manifests.Record) []member {
	key := keyOf(r)
	out := []member{{name: key + "." + raster.Extensions(r.Image.Format)[0], path: r.Image.Path, sum: r.Image.SHA256}}
	var best manifests.Mask
	for _, t := range append([]manifests.Tier{r.Tier, manifests.Manual, manifests.BBox, manifests.Label}, r.Tiers()...) {
		if k, ok := r.MaskOf(t); ok {
			best = k
			break
		}
	}
	for _, k := range r.Masks {
		name := fmt.Sprintf("%s.mask.%s.%d.png", key, tierName(k.Tier), k.Revision)
		if k.Compare(&best) == 0 {
			name = key + ".mask.png"
		}
		out = append(out, member{name: name, path: k.Path, sum: k.SHA256})
	}
	data := recordJSON(r)
	return append(out, member{name: key + ".json", data: data, sum: manifests.Sum(data)})
}

// recordJSON is the text of a sound record, whose values JSON always has words for.
func recordJSON(r *manifests.Record) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		panic("shard: " + err.Error())
	}
	return b.Bytes()
}

// NewPlan cuts a manifest into shards. It reads the sizes of the files, none of which may be
// missing.
func NewPlan(s *manifests.Store, m *manifests.Manifest, digest manifests.Digest, o Options) (*Plan, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p := &Plan{Manifest: digest, TargetBytes: o.TargetBytes}
	keys := map[string]string{}
	groups := map[[2]string][]*manifests.Record{}
	var order [][2]string
	for i := range m.Records {
		r := &m.Records[i]
		if !chosen(o.Splits, r.Split) || !chosen(o.Tiers, r.Tier) {
			continue
		}
		if old, ok := keys[keyOf(r)]; ok {
			return nil, fmt.Errorf("shard: %s: the key %s is that of %s too: run split first", r.ID, keyOf(r), old)
		}
		keys[keyOf(r)] = string(r.Split) + " record " + r.ID
		g := [2]string{string(r.Split), string(r.Tier)}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], r)
	}
	slices.SortFunc(order, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, g := range order {
		if err := p.cut(s, g, groups[g]); err != nil {
			return nil, err
		}
	}
	if len(p.Shards) == 0 {
		return nil, fmt.Errorf("shard: no record of %s is chosen: nothing is written", m.Dataset)
	}
	return p, nil
}

// chosen tells whether one is of some splits or tiers; nil is all of them.
func chosen[T comparable](some []T, one T) bool { return some == nil || slices.Contains(some, one) }

// cut appends the shards of one split and tier.
func (p *Plan) cut(s *manifests.Store, g [2]string, records []*manifests.Record) error {
	const end = 2 * block // zeros
	var cur *Shard
	number := 0
	for _, r := range records {
		size, err := sampleSize(s, r)
		if err != nil {
			return fmt.Errorf("shard: %s: %w", r.ID, err)
		}
		if cur == nil || cur.Bytes+size > p.TargetBytes {
			p.Shards = append(p.Shards, Shard{
				Name:  fmt.Sprintf("%s-%s-%06d.tar", g[0], tierName(manifests.Tier(g[1])), number),
				Split: manifests.Split(g[0]), Tier: manifests.Tier(g[1]), Bytes: end,
			})
			cur = &p.Shards[len(p.Shards)-1]
			number++
		}
		cur.Bytes += size
		cur.Samples = append(cur.Samples, r.ID)
		cur.records = append(cur.records, r)
	}
	return nil
}

// sampleSize is what a record takes in an archive.
func sampleSize(s *manifests.Store, r *manifests.Record) (n int64, err error) {
	for _, m := range members(r) {
		size := int64(len(m.data))
		if m.path != "" {
			name, err := s.Path(m.path)
			if err != nil {
				return 0, err
			}
			st, err := os.Stat(name)
			if err != nil {
				return 0, err
			}
			size = st.Size()
		}
		head := &counter{}
		if err := tar.NewWriter(head).WriteHeader(header(m.name, int(size))); err != nil {
			return 0, err
		}
		n += head.n + (size+block-1)/block*block
	}
	return n, nil
}
