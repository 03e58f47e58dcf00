package shard

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests"
)

// ReadIndex reads shards.json of a folder.
func ReadIndex(dir string) (*Index, error) {
	data, err := os.ReadFile(filepath.Join(dir, IndexFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("shard: %s: there is no %s: the folder is no finished set of shards", dir, IndexFile)
	} else if err != nil {
		return nil, fmt.Errorf("shard: %w", err)
	}
	return ParseIndex(data)
}

// ParseIndex reads the bytes of shards.json.
func ParseIndex(data []byte) (*Index, error) {
	ix := &Index{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(ix); err != nil {
		return nil, fmt.Errorf("shard: %s: %w", IndexFile, err)
	}
	for _, sh := range ix.Shards {
		if _, err := manifests.ParseDigest(string(sh.SHA256)); err != nil || sh.Name != filepath.Base(sh.Name) ||
			filepath.Ext(sh.Name) != ".tar" {
			return nil, fmt.Errorf("shard: %s: %q: want the name of an archive and its sha256", IndexFile, sh.Name)
		}
	}
	return ix, nil
}

// Verify reads every member of every shard again and lists all faults: archives with other bytes,
// missing or unnamed ones, members missing, repeated, out of order, too many or with other bytes
// than their record says, other bytes in plan.json and SHA256SUMS than shards.json tells, and, if m
// is not nil, records that are not those of m, or in no shard.
func Verify(ctx context.Context, dir string, m *manifests.Manifest, workers int,
	progress func(done, total int)) ([]manifests.Fault, error) {
	ix, err := ReadIndex(dir)
	if err != nil {
		return nil, err
	}
	byKey := map[string]*manifests.Record{}
	if m != nil {
		for i := range m.Records {
			byKey[string(m.Records[i].Split)+"/"+m.Records[i].ID] = &m.Records[i]
		}
	}
	var faults []manifests.Fault
	seen := map[string]string{}
	err = manifests.Each(ctx, workers, len(ix.Shards), func(ctx context.Context, i int) ([]manifests.Fault, error) {
		return verify(ctx, dir, &ix.Shards[i], m != nil, byKey), nil
	}, func(i int, found []manifests.Fault, err error) error {
		if err != nil { // a panic
			return err
		}
		sh := &ix.Shards[i]
		faults = append(faults, found...)
		for _, id := range sh.Samples {
			k := string(sh.Split) + "/" + id
			if old, ok := seen[k]; ok {
				faults = append(faults, manifests.Fault{Record: id, Kind: manifests.FaultDuplicate,
					Message: fmt.Sprintf("it is in %s and in %s", old, sh.Name)})
			}
			seen[k] = sh.Name
		}
		if progress != nil {
			progress(i+1, len(ix.Shards))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	extra, err := extras(dir, ix)
	if err != nil {
		return nil, fmt.Errorf("shard: %w", err)
	}
	beside, err := ix.beside(dir)
	if err != nil {
		return nil, fmt.Errorf("shard: %w", err)
	}
	if faults = slices.Concat(faults, extra, beside); m == nil {
		return faults, nil
	}
	groups := map[string]bool{}
	for _, sh := range ix.Shards {
		groups[string(sh.Split)+"/"+string(sh.Tier)] = true
	}
	for i := range m.Records {
		r := &m.Records[i]
		if _, ok := seen[string(r.Split)+"/"+r.ID]; !ok && groups[string(r.Split)+"/"+string(r.Tier)] {
			faults = append(faults, manifests.Fault{Record: r.ID, Kind: manifests.FaultFile,
				Message: "it is in no shard of its split and tier"})
		}
	}
	return faults, nil
}

// beside reports a plan.json or SHA256SUMS with other bytes than were written with this index; they
// may be missing, for no reader needs them.
func (ix *Index) beside(dir string) (faults []manifests.Fault, err error) {
	data, err := os.ReadFile(filepath.Join(dir, IndexFile))
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name string
		want []byte
	}{{PlanFile, ix.plan()}, {manifests.SumsFile, ix.sums(data)}} {
		got, err := os.ReadFile(filepath.Join(dir, f.name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		if !bytes.Equal(got, f.want) {
			faults = append(faults, manifests.Fault{Kind: manifests.FaultSums, Message: fmt.Sprintf("%s: is not what %s tells: "+
				"remove %s and %s, and run hdseg shard again with the same -o: it keeps the archives that are right", f.name, IndexFile,
				PlanFile, manifests.SumsFile)})
		}
	}
	return faults, nil
}

// extras reports archives that the index does not name: readers take all that lie there.
func extras(dir string, ix *Index) (faults []manifests.Fault, err error) {
	named := map[string]bool{}
	for _, sh := range ix.Shards {
		named[sh.Name] = true
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ".tar") && !named[e.Name()] {
			faults = append(faults, manifests.Fault{Kind: manifests.FaultSurplus,
				Message: fmt.Sprintf("%q: %s names no such archive", e.Name(), IndexFile)})
		}
	}
	return faults, err
}

func verify(ctx context.Context, dir string, sh *Shard, known bool, byKey map[string]*manifests.Record) (faults []manifests.Fault) {
	fail := func(id, kind, format string, args ...any) {
		faults = append(faults, manifests.Fault{Record: id, Kind: kind, Message: sh.Name + ": " + fmt.Sprintf(format, args...)})
	}
	data, err := os.ReadFile(filepath.Join(dir, sh.Name))
	switch {
	case err != nil:
		fail("", manifests.FaultFile, "%v", err)
		return faults
	case ctx.Err() != nil:
		return nil
	}
	if got := manifests.Sum(data); got != sh.SHA256 {
		fail("", manifests.FaultFileDigest, "got sha256 %s of %d bytes, want %s of %d", got.Short(), len(data), sh.SHA256.Short(), sh.Bytes)
	}
	if n := len(data); n < 2*block || n%block != 0 || len(bytes.Trim(data[n-2*block:], "\x00")) > 0 {
		fail("", manifests.FaultFile, "the two blocks of zeros that end an archive are missing: it was cut short")
	}
	r := newReader(data)
	for _, id := range sh.Samples {
		want := byKey[string(sh.Split)+"/"+id]
		if known && want == nil {
			fail(id, manifests.FaultFile, "the manifest has no such record")
		}
		if !r.check(id, want, fail) {
			return faults
		}
	}
	if m, err := r.next(); !errors.Is(err, io.EOF) {
		fail("", manifests.FaultFile, "more than the planned samples: %q, %v", m.name, err)
	}
	return faults
}

// A reader reads an archive.
type reader struct{ t *tar.Reader }

func newReader(data []byte) *reader { return &reader{tar.NewReader(bytes.NewReader(data))} }

func (r *reader) next() (m member, err error) {
	h, err := r.t.Next()
	if err != nil {
		return m, err
	}
	m.name = h.Name
	if want := header(h.Name, int(h.Size)); h.Typeflag != want.Typeflag || h.Mode != want.Mode || h.Uid != 0 || h.Gid != 0 ||
		h.Uname != "" || h.Gname != "" || h.ModTime.Unix() != 0 || h.Format != tar.FormatUSTAR && h.Format != tar.FormatPAX {
		return m, fmt.Errorf("%s: its owner, mode, time or kind is not as packed", h.Name)
	}
	m.data, err = io.ReadAll(r.t)
	m.sum = manifests.Sum(m.data)
	return m, err
}

// sample reads the members of one sample, the record last.
func (r *reader) sample() (got []member, err error) {
	for len(got) == 0 || filepath.Ext(got[len(got)-1].name) != ".json" {
		m, err := r.next()
		if err != nil {
			return got, err
		}
		got = append(got, m)
	}
	return got, nil
}

// check compares the members of one sample. It returns false when the archive cannot be followed.
func (r *reader) check(id string, want *manifests.Record, fail func(id, kind, format string, args ...any)) bool {
	got, err := r.sample()
	if err != nil {
		fail(id, manifests.FaultFile, "a member of this sample: %v", err)
		return false
	}
	last := got[len(got)-1]
	rec := &manifests.Record{}
	if err := json.Unmarshal(last.data, rec); err != nil {
		fail(id, manifests.FaultSyntax, "%s: %v", last.name, err)
		return true
	}
	if rec.ID != id {
		fail(id, manifests.FaultOrder, "%s holds record %q", last.name, rec.ID)
	}
	if want != nil {
		if !bytes.Equal(recordJSON(want), last.data) {
			fail(id, manifests.FaultValue, "%s is not the manifest's record", last.name)
		}
		rec = want
	}
	list := members(rec)
	if len(list) != len(got) {
		fail(id, manifests.FaultFile, "got %d members, want %d", len(got), len(list))
		return true
	}
	for i, m := range list[:len(list)-1] {
		if got[i].name != m.name {
			fail(id, manifests.FaultOrder, "member %d: got %s, want %s", i, got[i].name, m.name)
		} else if got[i].sum != m.sum {
			fail(id, manifests.FaultFileDigest, "%s: got sha256 %s of %d bytes, want %s", m.name, got[i].sum.Short(),
				len(got[i].data), m.sum.Short())
		}
	}
	return true
}
