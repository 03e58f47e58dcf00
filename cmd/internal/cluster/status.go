package cluster

import (
	"context"
	"errors"
	"io/fs"

	"hdseg/cmd/internal/pipeline"
	"hdseg/manifests"
)

// A Progress says how far one task of a build is.
type Progress struct {
	Task   string  `json:"task"` // name of the step
	Does   string  `json:"does"` // what the step does
	Shards int     `json:"shards"`
	Done   int     `json:"done"`        // shards
	CPU    float64 `json:"cpu_seconds"` // of the shards that are done, together
	Images int     `json:"images"`      // that these made
	Skips  int     `json:"skips"`       // that these met
	// the same, with reasons
	Skipped []manifests.Skip      `json:"skipped,omitempty"`
	Failed  []pipeline.TaskReport `json:"failed,omitempty"`
}

// Status reads how far the build is that lies in a place. Shards that failed are told until they
// succeed.
func (p Place) Status(ctx context.Context) (*Plan, []Progress, error) {
	d, plan, err := p.planned(ctx, pipeline.ReportDir)
	if err != nil {
		return nil, nil, err
	}
	defer d.close()
	all, err := plan.progress(d.Store)
	return plan, all, err
}

func (p *Plan) progress(s *manifests.Store) (all []Progress, err error) {
	run := p.Digest()
	for _, t := range p.Tasks() {
		got := Progress{Task: t.Name, Does: t.Does, Shards: p.Of(t)}
		for i := range got.Shards {
			for _, failed := range []bool{false, true} {
				r, err := pipeline.ReadReport(s, t.Name, i, got.Shards, failed)
				switch {
				case errors.Is(err, fs.ErrNotExist) || err == nil && r.Run != run:
					continue
				case err != nil:
					return nil, err
				case failed:
					got.Failed = append(got.Failed, r)
					continue
				}
				got.Done++
				got.CPU += r.CPU
				got.Images += r.Done
				got.Skips += len(r.Skips)
				got.Skipped = append(got.Skipped, r.Skips...)
				break
			}
		}
		all = append(all, got)
	}
	return all, nil
}
