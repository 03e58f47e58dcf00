package transfer

import (
	"errors"
	"fmt"

	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/transfer/appearance"
	"hdseg/transfer/cut"
	"hdseg/transfer/pool"

	"gopkg.in/yaml.v3"
)

// Options of Run. The zero value is not the default; see Defaults.
type Options struct {
	// Pool chooses the source windows and how they vote.
	Pool pool.Options `yaml:"pool"`
	// ClassModel lets all pictures share a model; without it masks are worse, in a tenth of the
	// time. They lose about 0.1 of IoU. Default true.
	ClassModel bool `yaml:"classModel"`
	// ModelWindows is the limit of windows that this model learns from, 1 or more; more cost time.
	// Of more it takes evenly spaced ones. Default 1000 (ours).
	ModelWindows int `yaml:"modelWindows"`
	// Staged lets the label tier learn from good bbox masks too. Turn it off to measure what manual
	// masks alone give. Default true (Kuettel, Guillaumin and Ferrari 2012).
	Staged bool `yaml:"staged"`
	// SourceQuality is the predicted IoU that makes a mask good, 0..1; more: fewer sources. Default
	// 0.7 (ours).
	SourceQuality float64 `yaml:"sourceQuality"`
	// StagedSources is the limit of such sources, 0 or more; more cost time. Each synset of the
	// label tier in turn gets the one nearest in WordNet. Default 500 (ours).
	StagedSources int `yaml:"stagedSources"`
	// Cut is the energy of masks inside boxes.
	Cut cut.Options `yaml:"cut"`
	// SceneCut is the energy of masks of whole pictures, for the label tier.
	SceneCut cut.Options `yaml:"sceneCut"`
	// Dense are the arrays of a network, which the class model sees too; nil for none. The settings
	// dense.dir and dense.by lead to it.
	Dense *feature.Dense `yaml:"dense,omitempty"`

	windows, scenes, clicks appearance.Options // of the class models; tests make them small
}

// Defaults returns the options that the comments of Options name.
func Defaults() Options {
	scene := cut.Defaults()
	scene.Gamma = 15 // ours, by leave-one-out on VOC
	return Options{
		Pool: pool.Defaults(), ClassModel: true, ModelWindows: 1000, Staged: true, SourceQuality: 0.7, StagedSources: 500,
		Cut: cut.Defaults(), SceneCut: scene, windows: appearance.Windows(), scenes: appearance.Scenes(), clicks: appearance.Clicks(),
	}
}

// energyOf returns the energy of a tier's masks.
func (o Options) energyOf(t manifests.Tier) cut.Options {
	e := o.Cut
	if t == manifests.Label {
		e = o.SceneCut
	}
	if o.Dense != nil {
		e = e.Surer()
	}
	return e
}

// modelOf returns the options of the class model for a tier.
func (o Options) modelOf(t manifests.Tier) appearance.Options {
	if t == manifests.BBox {
		return o.seen(o.windows)
	}
	return o.seen(o.scenes)
}

// ofClicks returns the options of the class model for pictures with a click.
func (o Options) ofClicks() appearance.Options { return o.seen(o.clicks) }

// seen adds what the class model sees of arrays.
func (o Options) seen(a appearance.Options) appearance.Options {
	if o.Dense != nil {
		a.Channels = o.Dense.Channels + 1 // see heads
	}
	return a
}

// Validate returns every fault of the options.
func (o Options) Validate() error {
	var errs []error
	for _, part := range []struct {
		name string
		err  error
	}{{"pool", o.Pool.Validate()}, {"cut", o.Cut.Validate()}, {"sceneCut", o.SceneCut.Validate()}} {
		if part.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", part.name, part.err))
		}
	}
	if o.ModelWindows < 1 {
		errs = append(errs, fmt.Errorf("modelWindows: got %d, want 1 or more", o.ModelWindows))
	}
	if o.StagedSources < 0 {
		errs = append(errs, fmt.Errorf("stagedSources: got %d, want 0 or more", o.StagedSources))
	}
	if !(o.SourceQuality >= 0 && o.SourceQuality <= 1) {
		errs = append(errs, fmt.Errorf("sourceQuality: got %g, want 0..1", o.SourceQuality))
	}
	return errors.Join(errs...)
}

// Canonical returns the options as YAML; equal options give equal bytes.
func (o Options) Canonical() []byte {
	data, err := yaml.Marshal(o)
	if err != nil {
		panic("transfer: options: " + err.Error()) // plain numbers and words never fail
	}
	return data
}
