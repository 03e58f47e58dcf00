package lscrf

import (
	"errors"
	"fmt"
	"time"

	"hdseg/lscrf/regress"
	"hdseg/manifests"
)

// How edges enter training.
const (
	OrientBoth    = "both"    // (s,t) and (t,s): the model does not depend on how superpixels are numbered
	OrientForward = "forward" // (s,t) with s < t only, the paper's reading
)

// TrainOptions choose how LS-CRF is fitted.
type TrainOptions struct {
	// Options of the least squares, whose settings stand beside orientation in YAML.
	regress.Options `yaml:",inline"`
	// Orientation is both or forward. Default forward, the paper's reading: ids ascend from the top, so the
	// order carries which superpixel is above (ours, by cross-validation on the manual tiers: 0.8 better).
	Orientation string `yaml:"orientation"`
}

// TrainDefaults returns the defaults of the fields.
func TrainDefaults() TrainOptions {
	return TrainOptions{Options: regress.Defaults(), Orientation: OrientForward}
}

// Validate returns all faults of o.
func (o TrainOptions) Validate() error {
	err := o.Options.Validate()
	if o.Orientation != OrientBoth && o.Orientation != OrientForward {
		err = errors.Join(err, fmt.Errorf("orientation: got %q, want %s or %s", o.Orientation, OrientBoth, OrientForward))
	}
	return err
}

// A Trained is a model and what its training took.
type Trained struct {
	*Model
	Seconds    float64 // of one core: the statistics of the model's images and the solution
	Node, Edge regress.Report
}

// Train fits a model to a mix of tiers. Unary fits f_j to node features; Pairwise fits f_jk to edge
// features and f_j as well, for isolated nodes (paper, Algorithm 1). A mix without images is an error.
func (s *Statistics) Train(m Mix, terms string, o TrainOptions, about Model) (*Trained, error) {
	start := time.Now()
	nodes := s.mix(m, Unary)
	if nodes.images == 0 {
		return nil, fmt.Errorf("train: no image has a mask of the tiers %s", m)
	}
	about.Kind, about.Terms, about.Tiers, about.Images, about.Options, about.Version = Linear, terms, m, nodes.images, o, manifests.Version
	t := &Trained{Model: &about}
	spent := nodes.spent
	t.Model.Node, t.Node = regress.Solve(nodes.stats, o.Options)
	if terms == Pairwise {
		edges := s.mix(m, Pairwise)
		spent += edges.spent
		t.Model.Edge, t.Edge = regress.Solve(edges.stats, o.Options)
	}
	t.Seconds = (spent + time.Since(start)).Seconds()
	return t, nil
}
