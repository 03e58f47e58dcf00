package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/manifests"
)

type ingestResult struct {
	summary
	Manifest string         `json:"manifest"`
	Records  []recordCount  `json:"records"`
	Other    map[string]int `json:"other"`   // left aside by rule: not of the class, ...
	Repairs  map[string]int `json:"repairs"` // kept with a repair, by code
}

func (r *ingestResult) table(w io.Writer) error {
	countTable(w, r.Records)
	for _, part := range []struct {
		name string
		n    map[string]int
	}{{"left aside", r.Other}, {"repaired", r.Repairs}} {
		for _, k := range slices.Sorted(maps.Keys(part.n)) {
			fmt.Fprintf(w, "%-10s %-24s %6d\n", part.name, k, part.n[k])
		}
	}
	_, err := fmt.Fprintln(w, "manifest", r.Manifest)
	return err
}

func (a *app) ingestCommand() *cobra.Command {
	var req ingest.Request
	cmd := &cobra.Command{
		Use:   "ingest",
		Short: "Read the sources into a manifest",
		Long: `ingest lists the sources, decodes every image once, stores its bytes untouched and writes the
manifest OUT/stages/ingest.yaml. VOC masks become the tier manual; ImageNet images with boxes are to become
bbox, those without label. Whatever cannot be used is listed with its reason.`,
		Example: `  hdseg ingest -c horseseg --voc VOCdevkit/VOC2012 --imagenet n02374451.tar --boxes n02374451.tar.gz --test test/horse -o out`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.out == "" {
				return usagef("hdseg ingest: -o is missing: name the folder of the data set")
			}
			e, err := configs.Load(a.config, a.set...)
			if err != nil {
				return err
			}
			store, err := manifests.OpenStore(a.out)
			if err != nil {
				return err
			}
			req.Dataset, req.Class, req.Options = e.Dataset, e.ManifestClass(), e.Ingest
			req.Workers, req.Version = a.workers, manifests.Version
			s := newSummary("ingest")
			show := a.stageProgress("ingest")
			res, err := ingest.Run(cmd.Context(), req, store, func(_ string, done, total int) { show(done, total) })
			if err != nil {
				return err
			}
			res.Manifest.Seed = e.Seed
			if _, err := manifests.Write(store, "stages/ingest", res.Manifest); err != nil {
				return err
			}
			s.Read, s.Done = res.Read, res.Kept
			s.skip(res.Manifest.Skipped)
			return a.report(&ingestResult{s, filepath.Join(a.out, "stages", "ingest.yaml"), recordCounts(res.Manifest), res.Other, res.Warnings})
		},
	}
	a.withConfig(cmd)
	a.withOut(cmd, "folder of the data set (required)")
	withSources(cmd, &req.VOC, &req.ImageNet, &req.Boxes, &req.Test)
	return cmd
}
