package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/annotate/exchange"
	"hdseg/manifests"
	"hdseg/manifests/load"
)

// An drawableResult is what went out to another tool.
type drawableResult struct {
	summary
	Folder string `json:"folder"`
	Masks  int    `json:"masks"`
}

func (r *drawableResult) table(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d pictures, %d with a mask to begin with, in %s\n", r.Done, r.Masks, r.Folder)
	return err
}

func (a *app) annotateExport() *cobra.Command {
	to, kind, tier, split := "", "", "", ""
	cmd := &cobra.Command{
		Use: "export", Short: "Write pictures and masks for another annotation tool", Args: noArgs,
		Long: `export writes every picture, upright, and the mask to begin with, if there is one: the newest of --tier, or of the
record's own tier. annotate import reads the same files back. The folder
appears when everything is written; an export that was ended early leaves none, and can be run again.

  png      images/ID.png and masks/ID.png (8-bit grey: 0 ground, 255 figure, 128 void)
  labelme  ID.png and ID.json, with shapes of type mask, which keep every pixel (labelme 5.4)
  coco     images/ and annotations.json, with run lengths; void is a category of its own
  cvat     images/ and annotations.zip, to be uploaded as "Segmentation mask 1.1"`,
		Example: "  hdseg annotate export -i out/horseseg.yaml --format labelme --to drawn --split train --tier bbox",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" || !slices.Contains(exchange.Formats, kind) {
				return usagef("hdseg annotate export: want --to and --format, one of %s", strings.Join(exchange.Formats, ", "))
			}
			if tier != "" {
				if _, err := manifests.ParseTier(tier); err != nil {
					return &usageError{err}
				}
			}
			if split != "" && split != string(manifests.Train) && split != string(manifests.Test) {
				return usagef("--split %q: want train or test", split)
			}
			store, m, _, err := a.input("annotate export")
			if err != nil {
				return err
			}
			w, err := exchange.Create(kind, to, m.Class.Name)
			if err != nil {
				return err
			}
			defer w.Abort()
			var records []*manifests.Record
			for i := range m.Records {
				if r := &m.Records[i]; split == "" || string(r.Split) == split {
					records = append(records, r)
				}
			}
			r := &drawableResult{summary: newSummary("annotate export"), Folder: to}
			r.Read = len(records)
			show := a.stageProgress("export")
			err = manifests.Each(cmd.Context(), a.workers, len(records), func(_ context.Context, i int) (exchange.Item, error) {
				return drawable(store, records[i], manifests.Tier(tier))
			}, func(i int, it exchange.Item, err error) error {
				if err != nil {
					r.skip([]manifests.Skip{{Record: records[i].ID, Reason: "unreadable", Detail: err.Error()}})
					return nil
				}
				r.Done++
				if it.Mask != nil {
					r.Masks++
				}
				show(i+1, len(records))
				return w.Add(it)
			})
			if err != nil {
				return err
			}
			if err := w.Close(); err != nil {
				return err
			}
			return a.report(r)
		},
	}
	a.withIn(cmd)
	f := cmd.Flags()
	f.StringVar(&to, "to", "", "folder to make (required)")
	f.StringVar(&kind, "format", exchange.PNG, "png, labelme, coco or cvat")
	f.StringVar(&tier, "tier", "", "tier of the masks; default each record's own")
	f.StringVar(&split, "split", "", "train or test; default both")
	return cmd
}

func drawable(store *manifests.Store, r *manifests.Record, tier manifests.Tier) (it exchange.Item, err error) {
	it.Record = r
	if it.Image, err = load.Image(store, r); err != nil {
		return it, err
	}
	if tier == "" {
		tier = r.Tier
	}
	if k, ok := r.MaskOf(tier); ok {
		it.Mask, err = load.Mask(store, r, k)
	}
	return it, err
}
