package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gopkg.in/yaml.v3"

	"hdseg/manifests"
)

// A stage is one step of the build.
type stage struct {
	name string
	// key returns what the stage's outputs depend on: the digests of its inputs and options.
	key func() (any, error)
	// run does the work and returns what it made.
	run func(ctx context.Context, progress func(done, total int)) (made, error)
}

// made is what a stage reports.
type made struct {
	Read, Done int
	Skips      []manifests.Skip
	Outputs    []string // store paths that must exist, complete, for the stage to be up to date
}

// A StageReport says what one stage of a build did.
type StageReport struct {
	Name     string           `json:"name"`
	UpToDate bool             `json:"up_to_date"` // its inputs and settings have not changed: nothing was done
	Read     int              `json:"read"`
	Done     int              `json:"done"`
	Seconds  float64          `json:"seconds"` // of the run that made the outputs
	Skips    []manifests.Skip `json:"-"`
}

// memory is what is kept of a finished stage, in .work/NAME.yaml: the key it ran under and the
// digests of what it made. Seconds live in the run record, because this file is equal for equal
// builds.
type memory struct {
	Key     manifests.Digest            `yaml:"key"`
	Read    int                         `yaml:"read"`
	Done    int                         `yaml:"done"`
	Skips   []manifests.Skip            `yaml:"skips,omitempty"`
	Outputs map[string]manifests.Digest `yaml:"outputs"`
}

// A runner runs stages whose inputs or settings changed since they last finished.
type runner struct {
	store    *manifests.Store
	times    *runRecord
	progress func(stage string) func(done, total int)
	force    string // run from this stage on, whatever is remembered; "" for none
	forced   bool
}

func (r *runner) run(ctx context.Context, s stage) (StageReport, error) {
	report := StageReport{Name: s.name}
	inputs, err := s.key()
	if err != nil {
		return report, fmt.Errorf("%s: %w", s.name, err)
	}
	text, err := yaml.Marshal([]any{s.name, manifests.Version, inputs})
	if err != nil {
		return report, err
	}
	key := manifests.Sum(text)
	r.forced = r.forced || r.force == s.name
	if m, ok := r.remembered(s.name, key); ok && !r.forced {
		report.UpToDate, report.Read, report.Done, report.Skips = true, m.Read, m.Done, m.Skips
		report.Seconds = r.times.Stages[s.name]
		return report, nil
	}
	started := time.Now()
	got, err := s.run(ctx, r.progress(s.name))
	if err != nil {
		return report, fmt.Errorf("%s: %w", s.name, err)
	}
	report.Read, report.Done, report.Skips = got.Read, got.Done, got.Skips
	report.Seconds = time.Since(started).Seconds()
	r.times.Stages[s.name] = report.Seconds
	return report, r.remember(s.name, key, got)
}

// remembered returns what is known of a stage that ran under this key, if all that it made is still there.
func (r *runner) remembered(name string, key manifests.Digest) (memory, bool) {
	var m memory
	data, err := r.store.Read(memoryPath(name), "")
	if err != nil || yaml.Unmarshal(data, &m) != nil || m.Key != key {
		return m, false // never ran, was cut short, or under other settings: run it
	}
	for path, want := range m.Outputs {
		if got, err := r.digest(path); err != nil || got != want {
			return m, false
		}
	}
	return m, true
}

func (r *runner) remember(name string, key manifests.Digest, got made) error {
	m := memory{Key: key, Read: got.Read, Done: got.Done, Skips: got.Skips, Outputs: map[string]manifests.Digest{}}
	for _, path := range got.Outputs {
		d, err := r.digest(path)
		if err != nil {
			return err
		}
		m.Outputs[path] = d
	}
	data, err := yaml.Marshal(m)
	if err != nil {
		return err
	}
	return r.store.Replace(memoryPath(name), data)
}

func (r *runner) digest(path string) (manifests.Digest, error) {
	data, err := r.store.Read(path, "")
	return manifests.Sum(data), err
}

func memoryPath(stage string) string { return ".work/" + stage + ".yaml" }

// A fingerprint names a source file or folder without reading it all: whoever changes a file
// changes its size or its time. Archives have hundreds of gigabytes.
type fingerprint struct {
	Path string `yaml:"path"`
	Size int64  `yaml:"size"`
	Time int64  `yaml:"time"` // of the last change, ns since 1970
}

// fingerprints walks sources in lexical order. Paths are relative to each source's folder, so that a
// source that was moved as a whole counts as unchanged.
func fingerprints(sources ...string) ([]fingerprint, error) {
	var out []fingerprint
	for _, src := range sources {
		if src == "" {
			continue
		}
		base := filepath.Dir(filepath.Clean(src))
		err := filepath.WalkDir(src, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				return nil
			}
			st, err := os.Stat(p) // follows links, as reading does
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(base, p)
			if err != nil {
				return err
			}
			out = append(out, fingerprint{filepath.ToSlash(rel), st.Size(), st.ModTime().UnixNano()})
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file or folder", src)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
