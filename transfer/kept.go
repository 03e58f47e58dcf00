package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
	"hdseg/transfer/appearance"
	"hdseg/transfer/pool"
)

// ExpertsDir is the folder of a store that keeps what was learned from its sources, in files
// TIER.DIGEST.expert. The digest is that of the sources, the settings and the program. They may be
// deleted at any time; exports and push leave them.
const ExpertsDir = "experts"

// mostExperts is how many experts of a kind a store keeps, the newest.
const mostExperts = 2

// expertMagic begins the file of an expert. The digest of what follows the line ends it.
const expertMagic = "hdseg expert 1 "

// CheckExpert returns an error if the bytes of a file are not what was written.
func CheckExpert(file []byte) error {
	_, err := unsealed(file)
	return err
}

func unsealed(file []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(file, []byte(expertMagic))
	sum, data, _ := bytes.Cut(rest, []byte("\n"))
	if !ok || string(manifests.Sum(data)) != string(sum) {
		return nil, errors.New("is not what transfer wrote")
	}
	return data, nil
}

// keyOf names the expert of sources by everything that it depends on. Settings that only choose
// sources do not count; nor do arrays of other pictures.
func (l *learner) keyOf(all []source) manifests.Digest {
	o := l.o
	o.Staged, o.SourceQuality, o.StagedSources = false, 0, 0
	o.Cut, o.SceneCut = o.energyOf(manifests.BBox), o.energyOf(manifests.Label)
	if o.Dense != nil {
		d := *o.Dense
		d.Digest, d.By, o.Dense = "", "", &d
	}
	what := []any{l.tier, l.version, manifests.Sum(o.Canonical())}
	group := groupsOf(all)
	for _, s := range all {
		what = append(what, s.record.ID, s.record.Image.SHA256, s.record.Image.Orientation, s.mask.SHA256, s.mask.Transferred(),
			group[s.group()], dense.Sum(o.Dense, s.record.ID))
	}
	return workSum(l.kind(), what)
}

func (l *learner) kind() string {
	if l.cutter {
		return "cutter"
	}
	return string(l.tier)
}

// An expertFile is an expert as the store keeps it.
type expertFile struct {
	Pool   []byte
	Model  []byte // empty for none
	Found  []byte // this and the next are null: they keep the digests of version 0.2.0
	Finder []byte
	Second *expertFile      `json:",omitempty"`
	Grader *grader          `json:",omitempty"` // not of a second one
	Clicks []byte           `json:",omitempty"`
	Head   *regress.MLP     `json:",omitempty"` // not of a second one
	Key    manifests.Digest `json:",omitempty"` // not of a second one
	Skips  []manifests.Skip
	Small  []string `json:",omitempty"`
}

// sum returns the expert's digest, which does not tell why a source is not in it.
func (f expertFile) sum() (manifests.Digest, error) {
	f.Key, f.Skips, f.Small = "", nil, nil
	data, err := json.Marshal(f)
	return manifests.Sum(data), err
}

func (e *expert) file() *expertFile {
	f := &expertFile{Pool: e.pool.Encode(), Grader: e.grader, Head: e.head}
	if e.model != nil {
		f.Model = e.model.Encode()
	}
	if e.clicks != nil {
		f.Clicks = e.clicks.Encode()
	}
	if e.second != nil {
		f.Second = e.second.file()
	}
	return f
}

// expert returns what file wrote of an expert of a tier. Its error is that the file is of another
// version.
func (f *expertFile) expert(o Options, t manifests.Tier) (*expert, error) {
	e := &expert{o: o, tier: t, grader: f.Grader, head: f.Head}
	var err error
	if e.head != nil {
		if o.Dense == nil {
			return nil, errors.New("transfer: a head without arrays")
		}
		if err = e.head.Check(o.Dense.Channels); err != nil {
			return nil, err
		}
	}
	if e.pool, err = pool.Decode(f.Pool); err != nil {
		return nil, err
	}
	if e.ridge, err = e.pool.Fit(); err != nil {
		return nil, err
	}
	if len(f.Model) > 0 {
		if e.model, err = appearance.Decode(f.Model, o.modelOf(t)); err != nil {
			return nil, err
		}
	}
	if len(f.Clicks) > 0 {
		if e.clicks, err = appearance.Decode(f.Clicks, o.ofClicks()); err != nil {
			return nil, err
		}
	}
	if f.Second != nil {
		e.second, err = f.Second.expert(o, manifests.BBox)
	}
	return e, err
}

// expertPath is where the expert of a learner's key lies.
func (l *learner) expertPath() string {
	return path.Join(ExpertsDir, l.kind()+"."+l.key.Short()+".expert")
}

// keep writes an expert into the store and removes old ones of its kind.
func (l *learner) keep(e *expert) error {
	f := e.file()
	var err error
	if e.digest, err = f.sum(); err != nil {
		return fmt.Errorf("transfer: expert: %w", err)
	}
	f.Key, f.Skips, f.Small = l.key, l.skips, l.small
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("transfer: expert: %w", err)
	}
	e.path = l.expertPath()
	if err := l.store.Replace(e.path, append([]byte(expertMagic+string(manifests.Sum(data))+"\n"), data...)); err != nil {
		return err
	}
	l.prune()
	return nil
}

// prune removes all experts of a kind but the newest.
func (l *learner) prune() {
	var names []string
	for _, p := range l.store.Glob(ExpertsDir + "/" + l.kind() + ".*.expert") {
		names = append(names, filepath.Join(l.store.Dir(), filepath.FromSlash(p)))
	}
	if len(names) <= mostExperts {
		return
	}
	age := map[string]int64{}
	for _, name := range names {
		if st, err := os.Stat(name); err == nil {
			age[name] = st.ModTime().UnixNano()
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(age[b], age[a]), cmp.Compare(a, b)) })
	for _, name := range names[mostExperts:] {
		_ = os.Remove(name) // another process may have done it
	}
}

// recall returns the expert of the learner's key, nil if the store has none that is whole.
func (l *learner) recall(all []source) (*expert, error) {
	data, ok, err := readKept(l.store, l.expertPath())
	if !ok || err != nil {
		return nil, err
	}
	var f expertFile
	if data, err = unsealed(data); err != nil {
		l.damaged = true
		return nil, nil // it is learned again
	}
	if json.Unmarshal(data, &f) != nil || f.Key != l.key {
		return nil, nil // of another version
	}
	missed := map[string]bool{}
	for _, k := range f.Skips {
		missed[k.Record] = true
	}
	for _, s := range all {
		if !missed[s.record.ID] {
			continue
		}
		if _, _, err := s.loadPlain(l.store, l.o); err == nil {
			return nil, nil // it can be read again
		}
	}
	e, err := f.expert(l.o, l.tier)
	if err != nil || !l.cutter && (f.Grader == nil || !f.Grader.valid()) || l.tier == manifests.Label && f.Second == nil {
		return nil, nil
	}
	if e.digest, err = f.sum(); err != nil {
		return nil, err
	}
	l.skips, l.small, e.path = f.Skips, f.Small, l.expertPath()
	return e, nil
}
