package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"hdseg/manifests"
)

// A RunRecord is NAME.run.yaml: what differs between two builds of equal bytes. It is not part of
// the digest chain.
type RunRecord struct {
	Command  string `yaml:"command,omitempty"` // that was given, for a shell
	Folder   string `yaml:"folder,omitempty"`  // in which it was given; "" for one on a cluster
	Finished string `yaml:"finished"`          // RFC 3339, UTC
	// commit of the program, see manifests.Revision
	Revision string `yaml:"revision,omitempty"`
	Go       string `yaml:"go"`       // version
	Platform string `yaml:"platform"` // system and processor, such as linux/amd64
	CPUs     int    `yaml:"cpus"`
	Workers  int    `yaml:"workers"`
	// seconds of the run that made each stage's outputs
	Stages  map[string]float64 `yaml:"stages"`
	Train   map[string]float64 `yaml:"train"`   // seconds per model
	Predict map[string]float64 `yaml:"predict"` // ms per test image, per model
}

func runPath(dataset string) string { return dataset + ".run.yaml" }

// LastRun returns the record of the last build of a data set in a store, or an empty one: it is
// never needed for correctness.
func LastRun(s *manifests.Store, dataset string) *RunRecord {
	r := &RunRecord{}
	if data, err := s.Read(runPath(dataset), ""); err == nil {
		_ = yaml.Unmarshal(data, r) // a damaged record is replaced at the end of this run
	}
	if r.Stages == nil {
		r.Stages = map[string]float64{}
	}
	return r
}

func (r *RunRecord) write(s *manifests.Store, dataset string, workers int) error {
	r.Finished = time.Now().UTC().Format(time.RFC3339)
	r.Revision = manifests.Revision()
	r.Go, r.Platform, r.CPUs, r.Workers = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU(), workers
	data, err := yaml.Marshal(r)
	if err != nil {
		return err
	}
	return s.Replace(runPath(dataset), data)
}

// ReadRun reads the record of a build by its file, NAME.run.yaml, and returns the store and the
// name of the data set too.
func ReadRun(file string) (s *manifests.Store, dataset string, r *RunRecord, err error) {
	dataset, ok := strings.CutSuffix(filepath.Base(file), ".run.yaml")
	if !ok {
		return nil, "", nil, fmt.Errorf("%s: want the record of a build, NAME.run.yaml in the folder of a data set", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, "", nil, err
	}
	r = &RunRecord{}
	if err := yaml.Unmarshal(data, r); err != nil {
		return nil, "", nil, fmt.Errorf("%s: want the record of a build: %w", file, err)
	}
	s, err = manifests.ViewStore(filepath.Dir(file))
	return s, dataset, r, err
}

// ReadOf returns how many pictures or records a stage of the build in a store read, 0 if it is not
// known.
func ReadOf(s *manifests.Store, stage string) int {
	m, _ := readMemory(s, stage)
	return m.Read
}
