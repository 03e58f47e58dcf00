package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"hdseg/manifests"
)

type featuresResult struct {
	summary
	Cache string           `json:"cache"` // folder
	Dim   int              `json:"dim"`
	Key   manifests.Digest `json:"key"`
}

func (r *featuresResult) table(w io.Writer) error {
	_, err := fmt.Fprintf(w, "features of %d images, %d per superpixel, in %s\n", r.Done, r.Dim, r.Cache)
	return err
}

func (a *app) featuresCommand() *cobra.Command {
	var shard shardFlag
	cmd := &cobra.Command{
		Use: "features", Short: "Cut images into superpixels and compute their features", Args: noArgs,
		Long: `features writes a feature cache into the data set that the manifest lies in: Apache Arrow files with the
superpixel features, edges and labels per tier of every image that has a mask. A build's own cache, in features, stays;
train and bench use whichever was made of the same manifest and settings.`,
		Example: `  hdseg features -i out/horseseg.yaml --set superpixel.count=500
  hdseg features -i out/horseseg.yaml --shard 2/8`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, m, digest, err := a.input("features")
			if err != nil {
				return err
			}
			e, err := a.experiment()
			if err != nil {
				return err
			}
			s := newSummary("features")
			c, err := a.features(cmd, shard, e, store, m, digest, &s)
			if err != nil {
				return err
			}
			defer c.Close()
			s.Read, s.Done = len(m.Records), c.Len()
			return a.report(&featuresResult{s, filepath.Join(store.Dir(), filepath.FromSlash(c.Dir)), c.Dim, c.Key})
		},
	}
	a.withIn(cmd)
	a.withConfig(cmd)
	withShard(cmd, &shard, "of one part of the records only, in a cache of its own")
	return cmd
}
