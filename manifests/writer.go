package manifests

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"sync"
)

// publish makes what write adds visible at once. With it goes whatever l lists and removes. It is written again if another process replaced the same
// manifest meanwhile and with it a part that both have.
func publish(s *Store, name string, l *listing, write func(*writer) error) (Digest, error) {
	for {
		w := writer{s: s, name: name, listing: l, named: map[string]Digest{}}
		err := write(&w)
		if err == nil {
			err = w.commit()
		}
		w.close()
		if errors.Is(err, errGone) {
			continue
		} else if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		return w.sum, nil
	}
}

// A writer collects the files of one manifest.
type writer struct {
	s        *Store
	name     string
	sum      Digest // of the index
	*listing        // nil for none

	mu    sync.Mutex
	files []*staged         // that are new, the index last
	kept  []string          // that the store has
	named map[string]Digest // both, by path
}

// part adds a part that fill writes. Its name is known at its end; if the store has it then, it is kept.
func (w *writer) part(stem string, records int, fill func(io.Writer) error) (part, error) {
	g, err := begin(w.s.temp())
	if err != nil {
		return part{}, err
	}
	h := sha256.New()
	if err := fill(io.MultiWriter(g, h)); err != nil {
		g.close()
		return part{}, err
	}
	sum := Digest(hex.EncodeToString(h.Sum(nil)))
	p := part{fmt.Sprintf("%s.d/%s.%s.yaml", w.name, stem, sum.Short()), records, sum}
	file, err := w.s.Path(p.Path)
	if err != nil {
		g.close()
		return p, err
	}
	if have, err := SumFile(file); err == nil && have == sum {
		g.close()
		w.keep(p.Path, sum, file)
		return p, nil
	}
	if err := g.finish(file, !canFlush); err != nil {
		g.close()
		return p, err
	}
	w.take(p.Path, sum, g)
	return p, nil
}

// index adds the index, after everything else: with parts that are new in any case, since another process may replace it meanwhile.
func (w *writer) index(data []byte) error {
	w.sum = Sum(data)
	if len(w.files) == 0 {
		return w.add(w.name+".yaml", data)
	}
	return w.stage(w.name+".yaml", data)
}

// add stages a file, unless the store has it with these bytes.
func (w *writer) add(p string, data []byte) error {
	file, err := w.s.Path(p)
	if err != nil {
		return err
	}
	if !holds(file, data) {
		return w.stage(p, data)
	}
	w.keep(p, Sum(data), file)
	return nil
}

func (w *writer) stage(p string, data []byte) error {
	file, err := w.s.Path(p)
	if err != nil {
		return err
	}
	g, err := stage(file, w.s.temp(), data, !canFlush)
	if err != nil {
		return err
	}
	w.take(p, Sum(data), g)
	return nil
}

// keep notes a file that the store has.
func (w *writer) keep(p string, sum Digest, file string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.named[p], w.kept = sum, append(w.kept, file)
}

// take notes a file that is staged.
func (w *writer) take(p string, sum Digest, g *staged) {
	w.s.fresh.add(g.temp)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.named[p], w.files = sum, append(w.files, g)
}

// commit makes the files and the list visible and removes the parts of the manifest that was there before.
func (w *writer) commit() error {
	if err := w.s.Flush(); err != nil || len(w.files) == 0 && w.listing == nil {
		return err
	}
	return w.s.commit(func() (files []*staged, gone []string, err error) {
		for _, file := range w.kept {
			if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
				return nil, nil, errGone
			}
		}
		if len(w.files) > 0 {
			if gone, err = w.stale(); err != nil {
				return nil, nil, err
			}
		}
		if w.listing != nil {
			gone = append(gone, w.gone...)
			err = w.list(gone)
		}
		return w.files, gone, err
	})
}

// errGone tells that a part that was to be kept is no longer there.
var errGone = errors.New("another process replaced the manifest meanwhile")

// partName is what parts are called, now and by earlier versions, and the copies of parts in a bucket.
var partName = regexp.MustCompile(`^(([0-9]{4,}|skipped|settings)(\.[0-9a-f]{12})?|[0-9a-f]{64})\.yaml$`)

// stale lists the parts that the new index does not name.
func (w *writer) stale() (out []string, err error) {
	dir, err := w.s.Path(w.name + ".d")
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if p := w.name + ".d/" + e.Name(); partName.MatchString(e.Name()) && w.named[p] == "" {
			out = append(out, p)
		}
	}
	return out, err
}

// close removes what was staged and did not become visible.
func (w *writer) close() {
	for _, g := range w.files {
		g.close()
	}
}
