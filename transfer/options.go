package transfer

import (
	"errors"
	"fmt"

	"hdseg/manifests"
	"hdseg/transfer/appearance"
	"hdseg/transfer/cut"
	"hdseg/transfer/pool"
	"hdseg/transfer/proposal"

	"gopkg.in/yaml.v3"
)

// Options of Run. The zero value is not the default; see Defaults.
type Options struct {
	Pool          pool.Options       `yaml:"pool"`          // source windows and their vote
	ClassModel    bool               `yaml:"classModel"`    // judge superpixels by a model that all pictures of the class share; default true
	Appearance    appearance.Options `yaml:"appearance"`    // that model, of windows
	Scene         appearance.Options `yaml:"scene"`         // the same of whole pictures, for the label tier
	ModelWindows  int                `yaml:"modelWindows"`  // most windows that the model learns from, evenly spaced ones of more, 1..; default 1000 (ours)
	Staged        bool               `yaml:"staged"`        // the label tier also learns from good masks of the bbox tier; default true (Kuettel, Guillaumin and Ferrari 2012)
	SourceQuality float64            `yaml:"sourceQuality"` // predicted IoU from which such a mask is good, 0..1; default 0.75 (ours)
	StagedSources int                `yaml:"stagedSources"` // most of them: each synset of the label tier in turn gets the one nearest in WordNet, 0..; default 500 (ours)
	Cut           cut.Options        `yaml:"cut"`           // the energy
	SceneCut      cut.Options        `yaml:"sceneCut"`      // the same for the label tier
	Proposals     bool               `yaml:"proposals"`     // the label tier proposes windows, in which objects of the sources vote (Kuettel and Ferrari 2012); default false (ours: with the class model they add nothing, see BENCHMARKS.md)
	Proposal      proposal.Options   `yaml:"proposal"`      // the windows
	SceneWeight   float64            `yaml:"sceneWeight"`   // factor of the whole picture's log odds where windows vote too, 0..; default 0.7 (ours)
	WindowWeight  float64            `yaml:"windowWeight"`  // factor of the windows' log odds, 0..; default 0.4 (ours)
	SecondLook    bool               `yaml:"secondLook"`    // the predicted IoU of the label tier also asks the method of the bbox tier about the objects that were found; default true (ours)
	Lean          bool               `yaml:"lean"`          // the label tier divides figure from ground where the expected IoU is largest, not at a half; default true (Nowozin 2014)
}

// Defaults returns the options that the comments of Options name.
func Defaults() Options {
	scene := appearance.Defaults()
	scene.Side = 192
	sceneCut := cut.Defaults()
	sceneCut.Gamma = 15
	return Options{
		Pool: pool.Defaults(), ClassModel: true, Appearance: appearance.Defaults(), Scene: scene, ModelWindows: 1000,
		Staged: true, SourceQuality: 0.75, StagedSources: 500, Cut: cut.Defaults(), SceneCut: sceneCut, SecondLook: true, Lean: true,
		Proposals: false, Proposal: proposal.Defaults(), SceneWeight: 0.7, WindowWeight: 0.4,
	}
}

// Validate returns every fault of the options.
func (o Options) Validate() error {
	var errs []error
	for _, part := range []struct {
		name string
		err  error
	}{{"pool", o.Pool.Validate()}, {"appearance", o.Appearance.Validate()}, {"scene", o.Scene.Validate()}, {"cut", o.Cut.Validate()}, {"sceneCut", o.SceneCut.Validate()}, {"proposal", o.Proposal.Validate()}} {
		if part.err != nil {
			errs = append(errs, fmt.Errorf("transfer: %s: %w", part.name, part.err))
		}
	}
	for name, w := range map[string]float64{"sceneWeight": o.SceneWeight, "windowWeight": o.WindowWeight} {
		if !(w >= 0 && w <= 100) {
			errs = append(errs, fmt.Errorf("transfer: %s: got %g, want 0..100", name, w))
		}
	}
	if o.ModelWindows < 1 {
		errs = append(errs, fmt.Errorf("transfer: modelWindows: got %d, want 1 or more", o.ModelWindows))
	}
	if o.StagedSources < 0 {
		errs = append(errs, fmt.Errorf("transfer: stagedSources: got %d, want 0 or more", o.StagedSources))
	}
	if !(o.SourceQuality >= 0 && o.SourceQuality <= 1) {
		errs = append(errs, fmt.Errorf("transfer: sourceQuality: got %g, want 0..1", o.SourceQuality))
	}
	return errors.Join(errs...)
}

// Digest names the options: the digest of their YAML.
func (o Options) Digest() (manifests.Digest, error) {
	data, err := o.Canonical()
	return manifests.Sum(data), err
}

// Canonical returns the options as YAML.
func (o Options) Canonical() ([]byte, error) {
	data, err := yaml.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("transfer: options: %w", err)
	}
	return data, nil
}
