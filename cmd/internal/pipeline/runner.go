package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	run func(ctx context.Context) (made, error)
	// manifest is the one whose pictures and masks the stage stored; "" for none.
	manifest string
}

// made is what a stage reports.
type made struct {
	Read, Done int
	Skips      []manifests.Skip
	Aside      map[string]int // what was left aside by rule, by code
	Warnings   []string
	Outputs    []string // store paths that must exist, complete, for the stage to be up to date
}

// A StageReport says what one stage of a build did.
type StageReport struct {
	Name string `json:"name"`
	// its inputs and settings have not changed: nothing was done
	UpToDate bool    `json:"up_to_date"`
	Read     int     `json:"read"`
	Done     int     `json:"done"`
	Seconds  float64 `json:"seconds"` // of the run that made the outputs
	// pictures and files that are not of the data set, by code: other_class, ...
	Aside    map[string]int   `json:"left_aside,omitempty"`
	Skips    []manifests.Skip `json:"-"`
	Warnings []string         `json:"-"`
}

// memory is what is kept of a finished stage, in .work/NAME.yaml: the key it ran under and the
// digests of what it made. Seconds live in the run record, because this file is equal for equal
// builds.
type memory struct {
	Key      manifests.Digest            `yaml:"key"`
	Read     int                         `yaml:"read"`
	Done     int                         `yaml:"done"`
	Skips    []manifests.Skip            `yaml:"skips,omitempty"`
	Aside    map[string]int              `yaml:"aside,omitempty"`
	Warnings []string                    `yaml:"warnings,omitempty"`
	Outputs  map[string]manifests.Digest `yaml:"outputs"`
	// of the names and sizes of the manifest's pictures and masks
	Files manifests.Digest `yaml:"files,omitempty"`
}

// A runner runs stages whose inputs or settings changed since they last finished.
type runner struct {
	store  *manifests.Store
	times  *RunRecord
	force  string // run from this stage on, whatever is remembered; "" for none
	forced bool
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
	if m, ok := r.remembered(s, key); ok && !r.forced {
		report.UpToDate, report.Read, report.Done = true, m.Read, m.Done
		report.Skips, report.Aside, report.Warnings = m.Skips, m.Aside, m.Warnings
		report.Seconds = r.times.Stages[s.name]
		return report, nil
	}
	// before work that could not be kept
	for _, file := range []string{"SHA256SUMS", memoryPath(s.name)} {
		if err := manifests.CheckFile(filepath.Join(r.store.Dir(), filepath.FromSlash(file))); err != nil {
			return report, err
		}
	}
	started := time.Now()
	got, err := s.run(ctx)
	if err != nil && strings.HasPrefix(err.Error(), s.name+": ") {
		return report, err
	}
	if err != nil {
		return report, fmt.Errorf("%s: %w", s.name, err)
	}
	report.Read, report.Done = got.Read, got.Done
	report.Skips, report.Aside, report.Warnings = got.Skips, got.Aside, got.Warnings
	report.Seconds = time.Since(started).Seconds()
	r.times.Stages[s.name] = report.Seconds
	return report, r.remember(s, key, got)
}

// remembered returns what is known of a stage that ran under this key, if all that it made is still
// there. Outputs are compared by digest, pictures and masks by size alone: a build that does
// nothing must not read the whole data set, which check does.
func (r *runner) remembered(s stage, key manifests.Digest) (memory, bool) {
	var m memory
	data, err := r.store.Read(memoryPath(s.name), "")
	if err != nil || yaml.Unmarshal(data, &m) != nil || m.Key != key {
		return m, false // never ran, was cut short, or under other settings: run it
	}
	for path, want := range m.Outputs {
		if got, err := r.digest(path); err != nil || got != want {
			return m, false
		}
	}
	files, err := r.files(s.manifest)
	return m, err == nil && files == m.Files
}

// files returns the digest of the names and sizes of all that a manifest names.
func (r *runner) files(manifest string) (manifests.Digest, error) {
	if manifest == "" {
		return "", nil
	}
	m, _, err := manifests.Read(r.store, manifest)
	if err != nil {
		return "", err
	}
	var list []byte
	add := func(path string) error {
		name, err := r.store.Path(path)
		if err != nil {
			return err
		}
		st, err := os.Stat(name)
		if err != nil {
			return err
		}
		list = fmt.Appendf(list, "%s %d\n", path, st.Size())
		return nil
	}
	for i := range m.Records {
		rec := &m.Records[i]
		if err := add(rec.Image.Path); err != nil {
			return "", err
		}
		for j := range rec.Masks {
			if err := add(rec.Masks[j].Path); err != nil {
				return "", err
			}
		}
	}
	return manifests.Sum(list), nil
}

func (r *runner) remember(s stage, key manifests.Digest, got made) error {
	files, err := r.files(s.manifest)
	if err != nil {
		return err
	}
	m := memory{
		Key: key, Read: got.Read, Done: got.Done, Skips: got.Skips, Aside: got.Aside, Warnings: got.Warnings,
		Outputs: map[string]manifests.Digest{}, Files: files,
	}
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
	return r.store.Replace(memoryPath(s.name), data)
}

func (r *runner) digest(path string) (manifests.Digest, error) {
	data, err := r.store.Read(path, "")
	return manifests.Sum(data), err
}

func memoryPath(stage string) string { return ".work/" + stage + ".yaml" }
