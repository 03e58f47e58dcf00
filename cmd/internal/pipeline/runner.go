package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/cache"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/transfer"
)

// A stage is one step of the build.
type stage struct {
	name string
	// key returns what the stage's outputs depend on: the digests of its inputs and options.
	key func(ctx context.Context) (any, error)
	// run does the work and returns what it made.
	run func(ctx context.Context) (made, error)
	// manifest is the one whose pictures and masks the stage stored; "" for none.
	manifest string
	features string // store path of the feature cache that the stage wrote; "" for none
}

// made is what a stage did.
type made struct {
	Read  int              `json:"read" yaml:"read"`
	Done  int              `json:"done" yaml:"done"`
	Skips []manifests.Skip `json:"-" yaml:"skips,omitempty"`
	// pictures and files that are not of the data set, by code: other_class, ...
	Aside    map[string]int `json:"left_aside,omitempty" yaml:"aside,omitempty"`
	Warnings []string       `json:"-" yaml:"warnings,omitempty"`
	// store paths that must exist, complete, for the stage to be up to date
	Outputs []string `json:"-" yaml:"-"`
}

// A StageReport says what one stage of a build did.
type StageReport struct {
	Name string `json:"name"`
	// its inputs and settings have not changed: nothing was done
	UpToDate bool    `json:"up_to_date"`
	Seconds  float64 `json:"seconds"` // of the run that made the outputs
	made
}

// memory is what is kept of a finished stage, in .work/NAME.yaml: the key it ran under and the
// digests of what it made. Seconds live in the run record, because this file is equal for equal
// builds.
type memory struct {
	Key     manifests.Digest `yaml:"key"`
	made    `yaml:",inline"`
	Outputs map[string]manifests.Digest `yaml:"outputs"`
	// of this file without it; earlier versions wrote none
	Sum manifests.Digest `yaml:"sum,omitempty"`
}

// text is the file of a memory, with its digest.
func (m memory) text() ([]byte, error) {
	m.Sum = ""
	data, err := yaml.Marshal(m)
	if err != nil {
		return nil, err
	}
	m.Sum = manifests.Sum(data)
	return yaml.Marshal(m)
}

// damaged are the reasons of skips of files that are not what the manifest says. They can be mended
// without a change of the manifest, so a stage with such a skip is not finished.
var damaged = []string{lscrf.SkipUnreadable, transfer.SkipImage, transfer.SkipMask}

// firstDamaged returns the first skip with such a reason, or with one of others.
func firstDamaged(skips []manifests.Skip, others ...string) (k manifests.Skip, found bool) {
	reasons := slices.Concat(damaged, others)
	i := slices.IndexFunc(skips, func(k manifests.Skip) bool { return slices.Contains(reasons, k.Reason) })
	if i < 0 {
		return k, false
	}
	return skips[i], true
}

// errDamaged is what is wrong with a memory whose bytes are not what was written.
var errDamaged = errors.New("is damaged: it is not what the build wrote")

// readMemory reads what is kept of a stage; the error names its file.
func readMemory(s *manifests.Store, stage string) (m memory, err error) {
	path := memoryPath(stage)
	data, err := s.Read(path, "")
	if err != nil {
		return m, err
	}
	err = yaml.Unmarshal(data, &m)
	if again, _ := m.text(); err != nil || m.Sum != "" && string(again) != string(data) {
		return m, fmt.Errorf("%s: %w", path, errDamaged)
	}
	return m, nil
}

// run runs a stage if its inputs or settings changed since it last finished.
func (b *build) run(ctx context.Context, s stage) (StageReport, error) {
	report := StageReport{Name: s.name}
	inputs, err := s.key(ctx)
	if err != nil {
		return report, fmt.Errorf("%s: %w", s.name, err)
	}
	text, err := yaml.Marshal([]any{s.name, manifests.Version, inputs})
	if err != nil {
		return report, err
	}
	key := manifests.Sum(text)
	b.forced = b.forced || b.From == s.name
	m, ok, err := b.remembered(ctx, s, key)
	if err != nil {
		return report, err
	}
	if ok && !b.forced {
		report.UpToDate, report.made, report.Seconds = true, m.made, b.times.Stages[s.name]
		return report, nil
	}
	// before work that could not be kept
	for _, file := range []string{"SHA256SUMS", memoryPath(s.name)} {
		if err := manifests.CheckFile(filepath.Join(b.store.Dir(), filepath.FromSlash(file))); err != nil {
			return report, err
		}
	}
	// else a run that was begun on demand and interrupted would not be continued
	if err := os.Remove(filepath.Join(b.store.Dir(), filepath.FromSlash(memoryPath(s.name)))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return report, err
	}
	started := time.Now()
	report.made, err = s.run(ctx)
	if err != nil && !strings.HasPrefix(err.Error(), s.name+": ") {
		err = fmt.Errorf("%s: %w", s.name, err)
	}
	if err != nil {
		return report, err
	}
	report.Seconds = time.Since(started).Seconds()
	b.times.Stages[s.name] = report.Seconds
	return report, b.remember(s, key, report.made)
}

// remembered returns what is known of a stage that ran under this key, if all that it made is still
// there as it was. Of pictures and masks only those are read that the system says were touched: a
// build that does nothing must not read the whole data set.
func (b *build) remembered(ctx context.Context, s stage, key manifests.Digest) (m memory, ok bool, err error) {
	m, err = readMemory(b.store, s.name)
	if errors.Is(err, errDamaged) {
		b.Warn(fmt.Sprintf("%v: %s runs again", err, s.name))
	}
	if err != nil || m.Key != key {
		return m, false, nil // never ran, was cut short, or under other settings: run it
	}
	// sources have their own digests
	if k, found := firstDamaged(m.Skips); found && s.name != "ingest" {
		b.Warn(fmt.Sprintf("%s left out %s, as its picture or mask was missing or changed then: %[1]s runs again", s.name, k.Record))
		return m, false, nil
	}
	for path, want := range m.Outputs {
		if got, err := b.digest(path); err != nil || got != want {
			b.Warn(fmt.Sprintf("%s is missing or is not what was written: %s runs again", path, s.name))
			return m, false, nil
		}
	}
	files, set, err := b.filesOf(s)
	if err == nil && set != nil {
		err = b.relist(s.manifest, set)
	}
	if err != nil {
		b.Warn(fmt.Sprintf("%v: %s runs again", err, s.name))
		return m, false, nil
	}
	if len(files) == 0 {
		return m, true, nil
	}
	bad, err := b.witness().changed(ctx, b.store, files, b.Workers, b.look("looking for changes in pictures, masks and features"))
	if len(bad) > 0 {
		b.Warn(fmt.Sprintf("files that are missing or changed: %d (%s): %s runs again", len(bad), format.Some(bad, 3), s.name))
	}
	return m, len(bad) == 0, err
}

// filesOf returns the digests of the many files that a stage stored, by path, and the manifest that
// names them, if there is one.
func (b *build) filesOf(s stage) (files map[string]manifests.Digest, m *manifests.Manifest, err error) {
	switch {
	case s.features != "":
		files, err = cache.Files(b.store, s.features)
	case s.manifest != "":
		if m, _, err = manifests.Read(b.store, s.manifest); err == nil {
			files = filesOf(m)
		}
	}
	return files, m, err
}

func (b *build) witness() *witness {
	if b.files == nil {
		b.files = openWitness(b.store, "files")
	}
	return b.files
}

// relist writes SHA256SUMS again where it lacks lines of a manifest that is whole.
func (b *build) relist(name string, set *manifests.Manifest) (err error) {
	if b.sums == nil {
		b.sums = manifests.ReadSums(b.store)
	}
	ok, err := manifests.Listed(b.store, name, set, b.sums)
	if ok || err != nil || manifests.CheckFile(filepath.Join(b.store.Dir(), manifests.SumsFile)) != nil {
		return err
	}
	b.Warn(manifests.SumsFile + " is missing or is not what was written: it is written again")
	b.sums = nil
	_, err = manifests.WriteListed(b.store, name, set)
	return err
}

func (b *build) remember(s stage, key manifests.Digest, got made) error {
	m := memory{Key: key, made: got}
	var err error
	if m.Outputs, err = b.digests(got.Outputs); err != nil {
		return err
	}
	b.sums = nil // the stage wrote its lines
	files, _, err := b.filesOf(s)
	if err == nil && len(files) > 0 {
		err = b.witness().wrote(b.store, files)
	}
	if err != nil {
		return err
	}
	data, err := m.text()
	if err != nil {
		return err
	}
	return b.store.Replace(memoryPath(s.name), data)
}

func (b *build) digest(path string) (manifests.Digest, error) {
	data, err := b.store.Read(path, "")
	return manifests.Sum(data), err
}

// digests returns those of files of the store.
func (b *build) digests(paths []string) (map[string]manifests.Digest, error) {
	out := map[string]manifests.Digest{}
	for _, p := range paths {
		d, err := b.digest(p)
		if err != nil {
			return nil, err
		}
		out[p] = d
	}
	return out, nil
}

func memoryPath(stage string) string { return ".work/" + stage + ".yaml" }

// CheckOutputs lists the features, models and experts in a store that are not what was written.
// Those that are missing are no fault: they can be made again.
func CheckOutputs(s *manifests.Store) (faults []manifests.Fault) {
	bad := func(err error) {
		faults = append(faults, manifests.Fault{Kind: manifests.FaultOutput, Message: err.Error()})
	}
	for _, p := range []place{built, aside} {
		if _, err := s.Read(cache.IndexPath(p.dir), ""); err == nil {
			for _, err := range cache.Check(s, p.dir) {
				bad(err)
			}
		}
		if data, err := s.Read(p.vocabulary, ""); err == nil {
			if err := new(feature.Vocabulary).UnmarshalBinary(data); err != nil {
				bad(fmt.Errorf("%s: %w", p.vocabulary, err))
			}
		}
	}
	for _, kind := range []struct {
		files string
		check func(data []byte) error
	}{
		{modelDir + "/*/*.model", func(data []byte) error { return new(lscrf.Model).UnmarshalBinary(data) }},
		{expertsDir + "*", transfer.CheckExpert},
	} {
		for _, name := range s.Glob(kind.files) {
			data, err := s.Read(name, "")
			if err == nil {
				err = kind.check(data)
			}
			if err != nil {
				bad(fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	return otherOutputs(s, faults)
}

// otherOutputs adds the faults of what else a stage remembers to have made, unless it was all made
// anew by another command since.
func otherOutputs(s *manifests.Store, faults []manifests.Fault) []manifests.Fault {
	for _, stage := range Stages {
		m, err := readMemory(s, stage)
		if errors.Is(err, errDamaged) {
			faults = append(faults, manifests.Fault{Kind: manifests.FaultOutput, Message: err.Error()})
		}
		if err != nil {
			continue
		}
		var changed []string
		for _, p := range slices.Sorted(maps.Keys(m.Outputs)) {
			if data, err := s.Read(p, ""); err == nil && manifests.Sum(data) != m.Outputs[p] {
				changed = append(changed, p)
			}
		}
		if len(changed) == len(m.Outputs) {
			continue
		}
		for _, p := range changed {
			if !slices.ContainsFunc(faults, func(f manifests.Fault) bool { return strings.HasPrefix(f.Message, p+": ") }) {
				faults = append(faults, manifests.Fault{Kind: manifests.FaultOutput, Message: p + ": is not what the stage " + stage + " wrote"})
			}
		}
	}
	return faults
}
