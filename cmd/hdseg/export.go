package main

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf/tools/cache"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/export"
	"hdseg/manifests/load"
	"hdseg/manifests/remote"
)

type exportResult struct {
	summary
	Format string `json:"format"`
	Out    string `json:"out"`
	Images int    `json:"images"`
	Masks  int    `json:"masks"`
	Boxes  int    `json:"boxes"`
}

func (r *exportResult) table(w *bytes.Buffer) {
	fmt.Fprintf(w, "%s in %s: %s, %s, %s\n", r.Format, r.Out, plural(r.Images, "image", "images"),
		plural(r.Masks, "mask", "masks"), plural(r.Boxes, "box", "boxes"))
}

func (a *app) exportCommand() *cobra.Command {
	var o export.Options
	var splits, tiers []string
	features := false
	cmd := &cobra.Command{
		Use: "export MANIFEST", Short: "Write a data set in the format of other tools",
		Long: `export writes a folder in one of these formats:

  hdseg        the published HorseSeg tree; with --features also the feature
               files and superpixels that existing HorseSeg code loads
  coco         instances with run lengths
  voc          a PASCAL VOC devkit
  imagefolder  for Hugging Face datasets
  croissant    JSON-LD with archives

hdseg shard writes WebDataset archives.

Some formats have one mask per image: it is the first of --tiers that the image has. If the export is interrupted, the
same command continues.`,
		Example: `  hdseg export out/horseseg.yaml --format coco -o coco
  hdseg export out/horseseg.yaml --format hdseg --features -o published
  hdseg export out/horseseg.yaml --format imagefolder --tiers manual --splits train -o hub`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.Splits, o.Tiers, err = chosen(splits, tiers); err != nil {
				return err
			}
			if err := cmp.Or(oneOf("--format", o.Format, export.Formats), usage(o.Validate())); err != nil {
				return err
			}
			if features && o.Format != "hdseg" {
				return usagef("--features: format %s cannot hold them: want --format hdseg", o.Format)
			}
			set, err := a.input()
			if err != nil {
				return err
			}
			if err := manifests.CheckFile(filepath.Join(a.out, "index")); err != nil {
				return err
			}
			if !slices.ContainsFunc(set.Manifest.Records, func(r manifests.Record) bool {
				return (o.Splits == nil || slices.Contains(o.Splits, r.Split)) && (o.Tiers == nil ||
					slices.ContainsFunc(r.Masks, func(k manifests.Mask) bool { return slices.Contains(o.Tiers, k.Tier) }))
			}) {
				return fmt.Errorf("export: no record of %s has the chosen splits and tiers: nothing is written", a.in)
			}
			a.Read = len(set.Manifest.Records)
			req := export.Request{Options: o, Manifest: set.Manifest, Digest: set.Digest, Store: set.Store, Out: a.out, Workers: a.workers}
			if features {
				e, err := configs.Load(a.config, a.set...)
				if err != nil {
					return err
				}
				c, err := a.features(cmd, shardFlag{}, e, set)
				if err != nil {
					return err
				}
				defer c.Close()
				if req.Features, err = graphsOf(c); err != nil {
					return err
				}
			}
			req.Progress = a.stageProgress("exporting pictures")
			res, err := export.Run(cmd.Context(), req)
			if err != nil {
				return err
			}
			a.Done = res.Images
			a.skip(res.Skips...)
			if n := len(res.Strays); n > 0 {
				a.warn(fmt.Sprintf("%s: holds %d files that are not of this export, such as "+
					"%s: programs that read the folder may take them", a.out, n, remote.Printable(res.Strays[0])))
			}
			return a.report(&exportResult{Format: o.Format, Out: a.out, Images: res.Images, Masks: res.Masks, Boxes: res.Boxes})
		},
	}
	a.withManifest(cmd)
	a.withConfig(cmd)
	a.withOut(cmd, "folder to write: a new one, or one that the same export began (required)")
	f := cmd.Flags()
	f.StringVar(&o.Format, "format", "hdseg", strings.Join(export.Formats, " | "))
	withChoice(cmd, &splits, &tiers)
	f.BoolVar(&o.Polygons, "polygons", false, "format coco: also write outlines as polygons, without holes")
	f.BoolVar(&features, "features", false, "format hdseg: also write the feature files and superpixels")
	return cmd
}

// graphs are the features of a data set as an export wants them.
type graphs struct {
	*pipeline.Features
	at map[string]int // image of the cache by split and id
}

func graphsOf(f *pipeline.Features) (*graphs, error) {
	g := &graphs{f, map[string]int{}}
	for i := range f.Cache.Len() {
		im, err := f.Cache.Get(i)
		if err != nil {
			return nil, err
		}
		g.at[string(im.Split)+"/"+im.ID] = i
	}
	return g, nil
}

func (g *graphs) Graph(r *manifests.Record) (*export.Graph, error) {
	i, ok := g.at[string(r.Split)+"/"+r.ID]
	if !ok {
		return nil, nil
	}
	im, err := g.Cache.Get(i)
	if err != nil {
		return nil, err
	}
	out := &export.Graph{N: im.N, Dim: im.Dim, Edges: im.Edges, Features: im.Features, Labels: map[manifests.Tier][]uint8{}}
	for _, l := range im.Labels {
		if l.Tier != cache.Persons {
			out.Labels[l.Tier] = l.Y
		}
	}
	return out, nil
}

// Pixels cuts a picture again as its features were made.
func (g *graphs) Pixels(r *manifests.Record) ([]int32, error) {
	im, err := g.Cache.Get(g.at[string(r.Split)+"/"+r.ID])
	if err != nil {
		return nil, err
	}
	img, err := load.Image(g.Store, r)
	if err != nil {
		return nil, err
	}
	sp := superpixel.Segment(img, g.Setup.Superpixel)
	if sp.N != im.N || !slices.Equal(sp.Sizes(), im.Sizes) {
		return nil, fmt.Errorf("superpixels: got %d, the features have %d: they were made with other settings", sp.N, im.N)
	}
	return sp.Labels, nil
}

// withChoice adds --splits and --tiers.
func withChoice(cmd *cobra.Command, splits, tiers *[]string) {
	cmd.Flags().StringSliceVar(splits, "splits", nil, "only these: train, test (default: both)")
	cmd.Flags().StringSliceVar(tiers, "tiers", nil, "only these: manual, bbox, label, external:NAME (default: all)")
}

// chosen reads --splits and --tiers.
func chosen(splits, tiers []string) (s []manifests.Split, t []manifests.Tier, err error) {
	for _, v := range splits {
		if err := oneOf("--splits", v, values["splits"]); err != nil {
			return nil, nil, err
		}
		s = append(s, manifests.Split(v))
	}
	for _, v := range tiers {
		tier, err := manifests.ParseTier(v)
		if err != nil {
			return nil, nil, usagef("--tiers: %v", err)
		}
		if tier == manifests.None {
			return nil, nil, usagef("--tiers none: want manual, bbox, label or external:NAME")
		}
		t = append(t, tier)
	}
	return s, t, nil
}
