package shard

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"hdseg/manifests"
)

// The files of a folder of shards beside its archives.
const (
	PlanFile  = "plan.json"
	IndexFile = "shards.json"
)

// An Index is what shards.json holds.
type Index struct {
	Name   string           `json:"name"` // of the manifest in its store
	Header manifests.Header `json:"header"`
	Plan
}

// Pack writes the shards of a manifest, which lies in s under name and has that digest, into a
// folder. What is there of the same plan is kept if its bytes are right; another plan is refused.
// Archives appear when they are whole and on the disk.
func Pack(ctx context.Context, s *manifests.Store, name string, m *manifests.Manifest, digest manifests.Digest, dir string,
	o Options, workers int, progress func(done, total int)) (*Index, error) {
	p, err := NewPlan(s, m, digest, o)
	if err != nil {
		return nil, err
	}
	out, err := manifests.OpenStore(dir)
	if err != nil {
		return nil, fmt.Errorf("shard: %w", err)
	}
	if err := fix(out, p); err != nil {
		return nil, err
	}
	ix := &Index{Name: name, Header: m.Header, Plan: *p}
	err = manifests.Each(ctx, workers, len(p.Shards), func(ctx context.Context, i int) (manifests.Digest, error) {
		return pack(ctx, s, out, &p.Shards[i])
	}, func(i int, sum manifests.Digest, err error) error {
		if err != nil {
			return fmt.Errorf("shard: %s: %w", p.Shards[i].Name, err)
		}
		ix.Shards[i].SHA256 = sum
		if progress != nil {
			progress(i+1, len(p.Shards))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	return ix, finish(out, ix)
}

func finish(out *manifests.Store, ix *Index) error {
	data := ix.Bytes()
	if err := out.Replace(manifests.SumsFile, ix.sums(data)); err != nil {
		return err
	}
	return out.Replace(IndexFile, data)
}

// sums is what SHA256SUMS holds beside the bytes of shards.json.
func (ix *Index) sums(data []byte) []byte {
	sums := map[string]manifests.Digest{IndexFile: manifests.Sum(data)}
	for _, sh := range ix.Shards {
		sums[sh.Name] = sh.SHA256
	}
	return manifests.FormatSums(sums)
}

// plan is what plan.json held before the archives were made.
func (ix *Index) plan() []byte {
	plan := ix.Plan
	plan.Shards = slices.Clone(plan.Shards)
	for i := range plan.Shards {
		plan.Shards[i].SHA256 = ""
	}
	return lines(plan)
}

// Bytes is what shards.json holds.
func (ix *Index) Bytes() []byte { return lines(ix) }

// lines is the text of a plan or an index, which are strings and numbers.
func lines(v any) []byte {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		panic("shard: " + err.Error())
	}
	return append(data, '\n')
}

// Choose returns the index of the shards of some splits and tiers; nil is all of them.
func (ix *Index) Choose(splits []manifests.Split, tiers []manifests.Tier) *Index {
	out := *ix
	out.Shards = nil
	for _, sh := range ix.Shards {
		if chosen(splits, sh.Split) && chosen(tiers, sh.Tier) {
			out.Shards = append(out.Shards, sh)
		}
	}
	return &out
}

// Finish writes what Pack writes beside the archives of an index, fetched from elsewhere.
func Finish(dir string, ix *Index) error {
	out, err := manifests.OpenStore(dir)
	if err != nil {
		return fmt.Errorf("shard: %w", err)
	}
	if err := out.Replace(PlanFile, ix.plan()); err != nil {
		return err
	}
	return finish(out, ix)
}

// fix writes the plan, or holds it against the one that is there.
func fix(out *manifests.Store, p *Plan) error {
	data := lines(p)
	old, err := out.Read(PlanFile, "")
	switch {
	case errors.Is(err, os.ErrNotExist):
		// of a data set, which ours would replace
		if _, err := os.Lstat(filepath.Join(out.Dir(), manifests.SumsFile)); err == nil {
			return fmt.Errorf("shard: %s: the folder holds a %s of other files: name a new one", out.Dir(), manifests.SumsFile)
		}
		return out.Replace(PlanFile, data)
	case err != nil:
		return fmt.Errorf("shard: %w", err)
	case !bytes.Equal(old, data):
		return fmt.Errorf("shard: %s: the folder holds the plan of another manifest or with other options: remove it or name "+
			"another", out.Dir())
	}
	return nil
}

// pack makes one archive, unless it is there with the right bytes, and returns its digest.
func pack(ctx context.Context, s, out *manifests.Store, sh *Shard) (sum manifests.Digest, err error) {
	final := filepath.Join(out.Dir(), sh.Name)
	if st, err := os.Stat(final); err == nil && st.Size() == sh.Bytes {
		sum, err := stream(ctx, s, sh, io.Discard)
		if err != nil {
			return "", err
		}
		if old, err := manifests.SumFile(final); err == nil && old == sum {
			return sum, nil
		}
	}
	err = out.Create(sh.Name, func(f *os.File) error {
		sum, err = stream(ctx, s, sh, f)
		return err
	})
	return sum, err
}

func stream(ctx context.Context, s *manifests.Store, sh *Shard, to io.Writer) (manifests.Digest, error) {
	sum, count := sha256.New(), &counter{}
	w := tar.NewWriter(io.MultiWriter(to, sum, count))
	for _, r := range sh.records {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		for _, m := range members(r) {
			data, err := m.data, error(nil)
			if m.path != "" {
				data, err = s.Read(m.path, m.sum)
			}
			if err == nil {
				err = w.WriteHeader(header(m.name, len(data)))
			}
			if err == nil {
				_, err = w.Write(data)
			}
			if err != nil {
				return "", fmt.Errorf("%s: %w", r.ID, err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	if count.n != sh.Bytes {
		return "", fmt.Errorf("got %d bytes, want the %d that were planned: a file changed meanwhile", count.n, sh.Bytes)
	}
	return manifests.Digest(hex.EncodeToString(sum.Sum(nil))), nil
}

type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

// header has nothing of the machine or the time in it. It is ustar, or PAX for names that need it.
func header(name string, size int) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(size), Mode: 0o644}
}
