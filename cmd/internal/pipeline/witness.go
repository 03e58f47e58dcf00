package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"hdseg/manifests"
)

// A witness remembers the digests of files beside what the system says of them, so that a file is
// read again only if that differs. It is kept in .work/NAME.run.yaml, a list of rows: like a run
// record it differs between two builds of equal bytes.
type witness struct {
	path  string // in the store
	known map[string]seen
	now   map[string]seen
}

// A stamp is what the system says of a file. Whoever writes into one changes its size or one of its
// times; who puts another in its place changes the inode, too.
type stamp struct {
	size, modified, changed int64 // bytes; ns since 1970
	inode                   uint64
}

type seen struct {
	stamp
	sum string // Digest.Short
}

// A watched is a file under the name by which the witness knows it.
type watched struct{ name, file string }

func openWitness(s *manifests.Store, name string) *witness {
	w := &witness{path: witnessPath(name), known: map[string]seen{}, now: map[string]seen{}}
	data, _ := s.Read(w.path, "") // without it all files are read
	for line := range bytes.Lines(data) {
		var k seen
		f := bytes.SplitN(bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("- [")), []byte("]\n")), []byte(", "), 6)
		if len(f) < 6 {
			continue
		}
		name, err := strconv.Unquote(string(f[5]))
		for i, to := range []*int64{&k.size, &k.modified, &k.changed} {
			if err == nil {
				*to, err = strconv.ParseInt(string(f[i+1]), 10, 64)
			}
		}
		if err == nil {
			k.inode, err = strconv.ParseUint(string(f[4]), 10, 64)
		}
		if err == nil {
			k.sum = string(f[0])
			w.known[name] = k
		}
	}
	return w
}

// look returns the short digests of files in their order, "" for one that cannot be read. all: read
// even those that are as they were.
func (w *witness) look(ctx context.Context, files []watched, all bool, workers int, show func(done, total int)) ([]string, error) {
	sums := make([]string, len(files))
	err := manifests.Each(ctx, workers, len(files), func(_ context.Context, i int) (seen, error) {
		was, known := w.known[files[i].name]
		st, err := stampOf(files[i].file)
		if err == nil && known && !all && was.stamp == st {
			return was, nil
		}
		if err != nil {
			return seen{}, nil
		}
		sum, err := manifests.SumFile(files[i].file)
		if err != nil {
			return seen{}, nil // who needs it says why
		}
		return seen{st, sum.Short()}, nil
	}, func(i int, k seen, err error) error {
		if sums[i] = k.sum; k.sum != "" {
			w.now[files[i].name] = k
		}
		show(i+1, len(files))
		return err
	})
	return sums, err
}

// write writes down what was seen now, and with others what is known of other files that are there,
// which do not count as seen: nobody looked at them. It writes nothing in a folder that may only be
// read.
func (w *witness) write(s *manifests.Store, others bool) error {
	if manifests.CheckFile(filepath.Join(s.Dir(), filepath.FromSlash(w.path))) != nil {
		return nil
	}
	rows := w.now
	if others {
		rows = w.known // no third map: it has a row for each file of a large data set
		maps.Copy(rows, w.now)
		maps.DeleteFunc(rows, func(name string, _ seen) bool {
			if _, looked := w.now[name]; looked {
				return false
			}
			_, err := os.Stat(filepath.Join(s.Dir(), filepath.FromSlash(name)))
			return err != nil
		})
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		k := rows[name]
		fmt.Fprintf(&b, "- [%s, %d, %d, %d, %d, %q]\n", k.sum, k.size, k.modified, k.changed, k.inode, name)
	}
	return s.Replace(w.path, b.Bytes())
}

func stampOf(file string) (stamp, error) {
	st, err := os.Stat(file)
	if err != nil || !st.Mode().IsRegular() {
		return stamp{}, fmt.Errorf("%s: want a file: %w", file, err)
	}
	s := stamp{size: st.Size(), modified: st.ModTime().UnixNano()}
	s.changed, s.inode = changedAt(st)
	return s, nil
}

// Forget makes the next command read all files of a store again: a disk may have lost bytes of some
// without a sign. In a folder that may only be read nothing is done.
func Forget(s *manifests.Store) {
	os.Remove(filepath.Join(s.Dir(), filepath.FromSlash(witnessPath("files"))))
}

func witnessPath(name string) string { return ".work/" + name + ".run.yaml" }

// changed returns which of some files of the store, given with their digests, are missing or have
// other bytes. Those that it looked at before it does not look at again.
func (w *witness) changed(ctx context.Context, s *manifests.Store, sums map[string]manifests.Digest, workers int,
	show func(done, total int)) (bad []string, err error) {
	var files []watched
	for _, p := range slices.Sorted(maps.Keys(sums)) {
		name, err := s.Path(p)
		if err != nil {
			return nil, err
		}
		if w.now[p].sum != sums[p].Short() {
			files = append(files, watched{p, name})
		}
	}
	got, err := w.look(ctx, files, false, workers, show)
	if err != nil {
		return nil, err
	}
	touched := false
	for i, f := range files {
		if got[i] != sums[f.name].Short() {
			bad = append(bad, f.name)
		}
		touched = touched || w.known[f.name] != w.now[f.name]
	}
	if touched {
		err = w.write(s, true)
	}
	return bad, err
}

// wrote notes files, given with their digests, that a stage has just written or compared.
func (w *witness) wrote(s *manifests.Store, sums map[string]manifests.Digest) error {
	for p, sum := range sums {
		name, err := s.Path(p)
		if err != nil {
			return err
		}
		if st, err := stampOf(name); err == nil {
			delete(w.now, p)
			w.known[p] = seen{st, sum.Short()}
		}
	}
	return w.write(s, true)
}

// filesOf returns the digests of the pictures and masks of a manifest by their paths in the store.
func filesOf(m *manifests.Manifest) map[string]manifests.Digest {
	sums := map[string]manifests.Digest{}
	for i := range m.Records {
		r := &m.Records[i]
		sums[r.Image.Path] = r.Image.SHA256
		for j := range r.Masks {
			sums[r.Masks[j].Path] = r.Masks[j].SHA256
		}
	}
	return sums
}
