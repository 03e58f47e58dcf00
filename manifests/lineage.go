package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// StagesDir is where a build keeps the manifests of its stages.
const StagesDir = "stages"

// A Stage is one manifest on the way from the sources to another one.
type Stage struct {
	Name   string // in its store
	Digest Digest // of its index
	Header Header // without Skipped
}

// Lineage returns the manifests that m was made from and that the store still has, its parent first. missing is
// the digest of the first one that is not there, "" if all are. Only indexes are read.
func Lineage(s *Store, m *Manifest) (stages []Stage, missing Digest, err error) {
	byDigest, err := indexes(s)
	if err != nil {
		return nil, "", err
	}
	for d := m.Parent; d != ""; {
		st, ok := byDigest[d]
		if !ok {
			return stages, d, nil
		}
		stages = append(stages, st)
		d = st.Header.Parent // a digest cannot be its own ancestor's
	}
	return stages, "", nil
}

// indexes reads every index in the store's folder and in its stages.
func indexes(s *Store) (map[Digest]Stage, error) {
	out := map[Digest]Stage{}
	for _, dir := range []string{"", StagesDir} {
		entries, err := os.ReadDir(filepath.Join(s.dir, dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || e.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 || !strings.HasSuffix(e.Name(), ".yaml") {
				continue
			}
			data, err := os.ReadFile(filepath.Join(s.dir, dir, e.Name()))
			if err != nil {
				return nil, err
			}
			d := &decoder{}
			if ix := d.index(data); len(d.faults) == 0 { // another YAML file is none of our business
				out[Sum(data)] = Stage{ix.Name, Sum(data), ix.Header}
			}
		}
	}
	return out, nil
}

// checkLineage reports a parent that is missing from a store that has its stages. That of a choice of records is elsewhere.
func checkLineage(s *Store, name string, m *Manifest) ([]Fault, error) {
	if st, err := os.Stat(filepath.Join(s.dir, StagesDir)); err != nil || !st.IsDir() {
		return nil, nil // a published data set
	}
	stages, missing, err := Lineage(s, m)
	if err != nil || missing == "" {
		return nil, err
	}
	child, stage := name, m.Stage
	if n := len(stages); n > 0 {
		child, stage = stages[n-1].Name, stages[n-1].Header.Stage
	}
	if stage == StageChoice {
		return nil, nil
	}
	return []Fault{{"", FaultParent, fmt.Sprintf("%s.yaml: parent: no manifest in the store has sha256 %s", child, missing.Short())}}, nil
}
