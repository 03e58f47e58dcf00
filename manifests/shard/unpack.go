package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hdseg/manifests"
)

// Unpack puts the pictures and masks of a folder of shards into a store, writes their manifest and
// returns it with its name. Of a whole set it has the digest of the one that was packed; of some of
// its records it names that one as its parent. Unless replace is set it refuses to replace another
// data set, a whole set by some records, a manifest that another was made from, or a file with
// other bytes; a folder of shards it never touches.
func Unpack(ctx context.Context, dir string, s *manifests.Store, workers int, replace bool) (*manifests.Manifest, string, error) {
	ix, err := ReadIndex(dir)
	if err != nil {
		return nil, "", err
	}
	for _, name := range []string{PlanFile, IndexFile} {
		if _, err := os.Lstat(filepath.Join(s.Dir(), name)); err == nil {
			return nil, "", fmt.Errorf("shard: %s: is a folder of shards: name another for the data set", s.Dir())
		}
	}
	refused := func(err error) error {
		if err == nil || replace {
			return nil
		}
		return fmt.Errorf("shard: %s: %w: name another folder, or use --replace if that is meant", s.Dir(), err)
	}
	if err := refused(manifests.MayReplace(s, ix.Name, ix.Header.Dataset)); err != nil {
		return nil, "", err
	}
	m := &manifests.Manifest{Header: ix.Header}
	err = manifests.Each(ctx, workers, len(ix.Shards), func(_ context.Context, i int) ([]manifests.Record, error) {
		return unpack(dir, &ix.Shards[i], s, replace)
	}, func(i int, records []manifests.Record, err error) error {
		if err != nil {
			return fmt.Errorf("shard: %s: %w", ix.Shards[i].Name, err)
		}
		m.Records = append(m.Records, records...)
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	digest, err := manifests.IndexDigest(ix.Name, m)
	whole := digest == ix.Manifest
	if err == nil && !whole { // only some of its records were packed, or fetched
		m.Stage, m.Parent, m.Skipped = manifests.StageChoice, ix.Manifest, nil
		digest, err = manifests.IndexDigest(ix.Name, m)
	}
	if err != nil {
		return nil, "", err
	}
	if err := refused(manifests.MayChange(s, ix.Name, digest, !whole)); err != nil {
		return nil, "", err
	}
	_, err = manifests.WriteListed(s, ix.Name, m)
	return m, ix.Name, err
}

func unpack(dir string, sh *Shard, s *manifests.Store, replace bool) (out []manifests.Record, err error) {
	data, err := os.ReadFile(filepath.Join(dir, sh.Name))
	if err != nil {
		return nil, err
	}
	if got := manifests.Sum(data); got != sh.SHA256 {
		return nil, fmt.Errorf("got sha256 %s, want %s", got.Short(), sh.SHA256.Short())
	}
	r := newReader(data)
	for {
		files, err := r.sample()
		if errors.Is(err, io.EOF) && len(files) == 0 {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		f := files[len(files)-1]
		var rec manifests.Record
		if err := json.Unmarshal(f.data, &rec); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		alone := manifests.Manifest{Header: manifests.Header{Schema: manifests.Schema, Dataset: "shard", Stage: "shard"},
			Records: []manifests.Record{rec}}
		if faults := alone.Validate(); len(faults) > 0 { // before anything is written where it says
			return nil, fmt.Errorf("%s: %w", f.name, faults[0])
		}
		want := members(&rec)
		if len(want) != len(files) {
			return nil, fmt.Errorf("%s: got %d members, want %d", rec.ID, len(files), len(want))
		}
		for i, m := range want[:len(want)-1] {
			if err := put(s, m, files[i], replace); err != nil {
				return nil, fmt.Errorf("%s: %w", rec.ID, err)
			}
		}
		out = append(out, rec)
	}
}

// put stores a member at its record's path, which ends in STEM.DIGEST.EXT or, of another tool, not.
func put(s *manifests.Store, want, got member, replace bool) error {
	if got.sum != want.sum {
		return fmt.Errorf("%s: got sha256 %s, want %s", got.name, got.sum.Short(), want.sum.Short())
	}
	base := strings.Split(path.Base(want.path), ".")
	n := len(base)
	if n >= 3 && base[n-2] == want.sum.Short() {
		_, _, err := s.Put(path.Dir(want.path), strings.Join(base[:n-2], "."), base[n-1], got.data)
		return err
	}
	if old, err := s.Read(want.path, ""); err == nil && manifests.Sum(old) != want.sum && !replace {
		return fmt.Errorf("%s: another file is there and would be replaced: name another folder, or use --replace if that is "+
			"meant", want.path)
	}
	return s.Replace(want.path, got.data)
}
