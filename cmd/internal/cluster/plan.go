// Package cluster runs a build as tasks of a scheduler that is there already: Slurm, Kubernetes or
// AWS Batch. A Plan says what is built, in how many shards; it lies beside the data set, in a
// folder that all machines see or in a bucket. Each task reads the plan and what it needs from
// there, and puts there what it made. The scheduler starts tasks, waits and tries again: nothing
// here does.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/manifests"
)

// planFile is where the plan lies in the store.
const planFile = ".work/run.json"

// A Plan is a build that is cut into tasks.
type Plan struct {
	Version  string              `json:"version"`  // of hdseg
	Revision string              `json:"revision"` // commit of the program, "" if unknown
	Shards   int                 `json:"shards"`   // of each task that has any
	Dataset  string              `json:"dataset"`
	Settings string              `json:"settings"` // the experiment, as YAML
	Sources  ingest.Request      `json:"sources"`  // their paths, absolute
	Split    ingest.SplitOptions `json:"split"`
	// the command of a build on one machine, for record and report
	MadeBy string `json:"made_by"`
	Folder string `json:"folder"` // in which it was typed
	// in its file: the digest of the rest
	Sum manifests.Digest `json:"digest,omitempty"`
}

// NewPlan cuts a build into tasks of so many shards.
func NewPlan(req pipeline.Request, shards int) (*Plan, error) {
	p := &Plan{manifests.Version, manifests.Revision(), shards, req.Experiment.Dataset, string(configs.YAML(req.Experiment)),
		req.Sources, req.Split, req.MadeBy, req.Folder, ""}
	for _, s := range pipeline.SourcesOf(&p.Sources) {
		var err error
		if *s.Path, err = filepath.Abs(*s.Path); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Digest names the plan: tasks of another one are not joined with its own. The command that made it
// has no part in it.
func (p *Plan) Digest() manifests.Digest {
	q := *p
	q.MadeBy, q.Folder, q.Sum = "", "", ""
	data, err := json.Marshal(q)
	if err != nil {
		panic("cluster: plan: " + err.Error()) // plain data never fails
	}
	return manifests.Sum(data)
}

// request returns the build that is planned.
func (p *Plan) request() (pipeline.Request, error) {
	e, err := configs.Recorded(p.Settings)
	return pipeline.Request{Experiment: e, Sources: p.Sources, Split: p.Split, Command: p.MadeBy, MadeBy: p.MadeBy, Folder: p.Folder}, err
}

// Tasks are the steps of the build.
func (p *Plan) Tasks() []pipeline.Task { return pipeline.Tasks(p.Dataset) }

// Of returns the number of shards of a task.
func (p *Plan) Of(t pipeline.Task) int { return t.Of(p.Shards) }

// find returns a task by its name.
func (p *Plan) find(name string) (pipeline.Task, error) {
	all := p.Tasks()
	i := slices.IndexFunc(all, func(t pipeline.Task) bool { return t.Name == name })
	if i < 0 {
		var names []string
		for _, t := range all {
			names = append(names, t.Name)
		}
		return pipeline.Task{}, fmt.Errorf("task %q: want one of %v%s", name, names, configs.Meant(name, names))
	}
	return all[i], nil
}

// errDamaged is what is wrong with a plan whose bytes are not what was written.
var errDamaged = errors.New("is damaged: run the same hdseg build --runner again: it writes the plan anew, and what is done stays done")

// readPlan returns the plan that lies in a store.
func readPlan(s *manifests.Store) (*Plan, error) {
	data, err := s.Read(planFile, "")
	if err != nil {
		return nil, err
	}
	p := new(Plan)
	if err := json.Unmarshal(data, p); err != nil || p.Shards < 1 || p.Digest() != p.Sum {
		return nil, fmt.Errorf("%s: %w", planFile, errDamaged)
	}
	return p, nil
}

// Save puts a plan into the store. Another plan whose build has begun there is an error, unless
// nothing of it is left; a damaged one is replaced.
func (p *Plan) Save(s *manifests.Store) error {
	old, err := readPlan(s)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errDamaged) {
		return err
	}
	if err == nil && old.Digest() != p.Digest() {
		return fmt.Errorf("%s: the store holds a build with other %s: give this one another --store, or remove %s there to begin anew",
			planFile, p.differs(old), filepath.ToSlash(filepath.Dir(planFile)))
	}
	q := *p
	q.Sum = p.Digest()
	return pipeline.WriteJSON(s, planFile, q)
}

// differs names what differs between two plans.
func (p *Plan) differs(o *Plan) string {
	a, _ := json.Marshal(p.Sources)
	b, _ := json.Marshal(o.Sources)
	switch {
	case p.Version != o.Version || p.Revision != o.Revision:
		return fmt.Sprintf("program (%s %s)", o.Version, o.Revision)
	case p.Shards != o.Shards:
		return fmt.Sprintf("--shards (%d)", o.Shards)
	case string(a) != string(b):
		return "sources"
	}
	return "settings"
}
