package transfer

import (
	"errors"
	"fmt"

	"hdseg/ingest/raster"
	"hdseg/manifests"
	"hdseg/transfer/cut"
	"hdseg/transfer/pool"

	"gopkg.in/yaml.v3"
)

// Options of Run. The zero value is not the default; see Defaults.
type Options struct {
	Pool   pool.Options  `yaml:"pool"`   // source windows and their vote
	Cut    cut.Options   `yaml:"cut"`    // the energy
	Limits raster.Limits `yaml:"limits"` // on the images read
}

// Defaults returns the options that the comments of Options name.
func Defaults() Options {
	return Options{Pool: pool.Defaults(), Cut: cut.Defaults(), Limits: raster.DefaultLimits()}
}

// Validate returns every fault of the options.
func (o Options) Validate() error {
	var errs []error
	for _, part := range []struct {
		name string
		err  error
	}{{"pool", o.Pool.Validate()}, {"cut", o.Cut.Validate()}, {"limits", o.Limits.Validate()}} {
		if part.err != nil {
			errs = append(errs, fmt.Errorf("transfer: %s: %w", part.name, part.err))
		}
	}
	return errors.Join(errs...)
}

// Digest names the options: the digest of their YAML.
func (o Options) Digest() (manifests.Digest, error) {
	data, err := yaml.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("transfer: options: %w", err)
	}
	return manifests.Sum(data), nil
}
