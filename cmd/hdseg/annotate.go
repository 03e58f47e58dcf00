package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"hdseg/annotate"
	"hdseg/annotate/campaign"
	"hdseg/annotate/exchange"
	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

func (a *app) annotateCommand() *cobra.Command {
	root := &cobra.Command{Use: "annotate", Short: "Draw and review masks in the browser; import drawn masks",
		Example: "  hdseg annotate serve out/horseseg.yaml --annotators Ann,Ben --reviewers Rita", RunE: ofCommands}
	var req annotate.Request
	at, tier := "", string(manifests.Manual)
	cmd := &cobra.Command{
		Use: "import MANIFEST", Short: "Import masks that were drawn in another tool",
		Long: `import writes a new manifest. Each mask becomes the newest manual mask of its record, with its author and time.
Earlier masks stay.

A mask is skipped and listed if no record has its name, if its size is not that of the picture, or if it has no figure.
Pass --empty if masks without figure are right; those that the data set has itself need no flag.

--tier external:NAME is for masks that a program made. They become a tier of their own. bench and study measure it like
the others, but never use it as the truth. --at is not needed then.

A mask that the record has already, of any revision or tier, adds nothing. --accept-unchanged takes it as checked by
that person.

--masks names a folder, an archive (also one that holds archives) or a file; the folder that annotate export made is
read back. A mask finds its record by its whole path first, then by the longest ending that fits one record. --format
says what it holds:

  png      ID.png, grey: 0 ground, 255 figure, 128 void; what is transparent
           is ground; of what segment wrote, ID.mask.png
  labelme  ID.json; labels: the class, hole (cut out), void or __ignore__;
           with --others-ground another label covers the class where it
           was drawn later, as labelme shows it
  coco     instances files (.json, .json.gz): the class is figure; the
           category void and crowds are void
  cvat     CVAT's "Segmentation mask 1.1"; labels: background, the class,
           void`,
		Example: `  hdseg annotate import out/horseseg.yaml --masks drawn --by 'Ann Ott' --at 2026-03-04T05:06:07Z -o out/reviewed.yaml
  hdseg annotate import out/horseseg.yaml --format cvat --masks task.zip --by 'Ann Ott' --at 2026-03-04T05:06:07Z -o out/reviewed.yaml
  hdseg annotate import out/horseseg.yaml --tier external:sam --masks sam --by 'SAM ViT-H' -o out/tools.yaml
  hdseg bench out/tools.yaml --tiers 'manual;external:sam'`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			req.Tier = manifests.Tier(tier)
			if req.At, err = time.Parse(time.RFC3339, at); err != nil && at != "" {
				return usagef("--at %q: want a time as 2026-03-04T05:06:07Z", at)
			}
			if err := cmp.Or(usage(req.Validate()), oneOf("--format", req.Format, exchange.Formats)); err != nil {
				return err
			}
			set, err := a.input()
			if err != nil {
				return err
			}
			name, err := a.replacement(set, "")
			if err != nil {
				return err
			}
			req.Workers = a.workers
			got, err := annotate.Import(cmd.Context(), set.Manifest, set.Store, req)
			if err != nil {
				return err
			}
			said := []any{"annotate/import", req.By, at}
			if req.Tier != manifests.Manual {
				said = append(said, tier)
			}
			a.Read, a.Done = got.Done+got.Unchanged+got.Blank+len(got.Skips), got.Done
			a.skip(got.Skips...)
			if n := len(got.Moved); n > 0 {
				a.warn(fmt.Sprintf("%s from another folder, or with other Unicode accents, than the picture's, the only record that fits: %s",
					plural(n, "mask was taken", "masks were taken"), format.Some(got.Moved, 3)))
			}
			if got.Unchanged > 0 {
				a.warn(fmt.Sprintf("%s: --accept-unchanged takes them as checked by %s", plural(got.Unchanged,
					"mask came back unchanged and was left out", "masks came back unchanged and were left out"), req.By))
			}
			if got.Blank > 0 {
				a.warn(fmt.Sprintf("%s back without a mask, as export wrote them, and were left out: "+
					"--accept-unchanged --empty takes them as empty masks",
					plural(got.Blank, "picture came", "pictures came")))
			}
			if n := len(got.Earlier); n > 0 {
				a.warn(fmt.Sprintf("%s back: %s",
					plural(n, "mask that is not its record's newest came", "masks that are not their records' newest came"),
					format.Some(got.Earlier, 5)))
			}
			return a.writeStage(set, name, got.Manifest, configs.Canonical(said...))
		},
	}
	a.withManifest(cmd)
	a.withOut(cmd, "manifest to write, in the same folder (required)")
	cmd.Flags().BoolVar(&req.OthersGround, "others-ground", false,
		"take labels that are neither the class, another spelling of it, nor void for ground")
	cmd.Flags().BoolVar(&req.AcceptUnchanged, "accept-unchanged", false, "take masks that came back unchanged as checked by --by")
	cmd.Flags().StringVar(&req.Path, "masks", "", "folder or file of masks (required)")
	cmd.Flags().StringVar(&req.Format, "format", exchange.PNG, strings.Join(exchange.Formats, " | "))
	cmd.Flags().BoolVar(&req.Empty, "empty", false, "also take masks without figure")
	cmd.Flags().StringVar(&req.By, "by", "", "who drew them (required)")
	cmd.Flags().StringVar(&tier, "tier", tier, "manual, or external:NAME for masks of another tool")
	cmd.Flags().StringVar(&at, "at", "", "when they were drawn, as 2026-03-04T05:06:07Z (required for manual)")
	root.AddCommand(a.annotateServe(), a.annotateApply(), a.annotateAgree(), a.annotateExport(), cmd)
	return root
}

// openCampaign opens what serve began, for reading: it may be served at the same time.
func (a *app) openCampaign(name string) (*campaign.Campaign, error) {
	set, err := a.input()
	if err != nil {
		return nil, err
	}
	c, err := campaign.Open(set.Store, campaignName(name, a.in), set.Manifest, set.Digest, campaign.Options{ReadOnly: true})
	if err == nil {
		a.warnAll(c.Warnings)
	}
	return c, err
}

func (a *app) annotateApply() *cobra.Command {
	campaignFlag := ""
	cmd := &cobra.Command{
		Use: "apply MANIFEST", Short: "Write accepted masks into a new manifest",
		Long: `apply writes a new manifest. Every accepted mask of a campaign becomes the newest manual mask of its record. The
earlier revisions of the mask come before it, each with its author, its time and its source. Masks that the manifest has
already are not added again. Boxes that people drew on the page replace the record's: a record of tier label becomes one of
tier bbox, and transfer makes its mask anew.`,
		Example: "  hdseg annotate apply out/horseseg.yaml -o out/reviewed.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.openCampaign(campaignFlag)
			if err != nil {
				return err
			}
			set := &pipeline.Dataset{Store: c.Store, Manifest: c.Manifest, Digest: c.Digest}
			name, err := a.replacement(set, "annotate")
			if err != nil {
				return err
			}
			out, done := c.Apply()
			a.all(done)
			return a.writeStage(set, name, out, configs.Canonical("annotate/apply", c.Name))
		},
	}
	a.withManifest(cmd)
	a.withOut(cmd, "manifest to write, in the same folder (required)")
	cmd.Flags().StringVar(&campaignFlag, "name", "", "campaign (default: the manifest's name)")
	return cmd
}

// An agreeResult is how far annotators agree.
type agreeResult struct {
	summary
	campaign.Agreement
	Effort []campaign.Effort `json:"effort"` // what pictures took people, by person and tool
}

func (r *agreeResult) table(w *bytes.Buffer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "annotators\timages\tIoU\tboundary F\tkappa")
	for _, p := range r.Rows {
		fmt.Fprintf(t, "%s, %s\t%d\t%s\t%s\t%s\n", p.A, p.B, p.Images, p.IoU.Format(3), p.Boundary.Format(3), p.Kappa.Format(3))
	}
	if len(r.Rows) > 0 {
		fmt.Fprintf(t, "\nboth began with: %s\n", r.Start)
	}
	if len(r.Effort) > 0 {
		fmt.Fprintln(t, "\nperson\ttool\tpictures\tseconds\tclicks")
	}
	for _, e := range r.Effort {
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", e.Person, cmp.Or(e.Tool, "(all)"), e.Pictures, e.Seconds.Format(1), e.Clicks.Format(1))
	}
	t.Flush()
}

func (a *app) annotateAgree() *cobra.Command {
	campaignFlag := ""
	cmd := &cobra.Command{
		Use: "agree MANIFEST", Short: "Print how far two annotators agree on the same pictures",
		Long: `agree compares the two masks of every blind picture that both annotators have submitted (serve --blind). For each
pair of annotators it prints the means of intersection over union, of the boundary F measure (tolerance 0.75% of the
diagonal) and of Cohen's kappa over pixels. Pixels that either annotator left void do not count.

It also says what both began with. People agree more if both began with the same mask (serve --blind-start proposal).
It also prints how long a picture took each person and how many clicks and strokes, by tool: medians over the pictures in
which they used it. Pauses over a minute do not count.

--json lists the pictures too.`,
		Example: "  hdseg annotate agree out/horseseg.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.openCampaign(campaignFlag)
			if err != nil {
				return err
			}
			got, err := c.Agreement()
			if err != nil {
				return err
			}
			if got.Start == campaign.StartProposal {
				a.warn("both annotators began with the same mask of the manifest: agreement is higher " +
					"than of drawings that began with nothing")
			}
			a.all(len(got.Images))
			return a.report(&agreeResult{Agreement: got, Effort: c.Efforts()})
		},
	}
	a.withManifest(cmd)
	cmd.Flags().StringVar(&campaignFlag, "name", "", "campaign (default: the manifest's name)")
	return cmd
}

// An drawableResult is what went out to another tool.
type drawableResult struct {
	summary
	Folder string `json:"folder"`
	Masks  int    `json:"masks"`
}

func (r *drawableResult) table(w *bytes.Buffer) {
	fmt.Fprintf(w, "%s, %d with a mask to begin with, in %s\n", plural(r.Done, "picture", "pictures"), r.Masks, r.Folder)
}

func (a *app) annotateExport() *cobra.Command {
	kind, tier, split := "", "", ""
	cmd := &cobra.Command{
		Use: "export MANIFEST", Short: "Write pictures and masks for another annotation tool",
		Long: `export writes every picture, turned upright, with its mask as a start: the newest mask of --tier, or of the record's
own tier. annotate import reads the same files back. The folder appears when all files are written.

  png      images/ID.png and masks/ID.png, 8-bit grey: 0 ground, 255 figure,
           128 void
  labelme  ID.png and ID.json, with shapes of type mask (labelme 5.4); a
           flag tells an empty mask from none
  coco     images/ and annotations.json, with run lengths; void is a category
  cvat     images/ and annotations.zip: upload it to CVAT as
           "Segmentation mask 1.1"`,
		Example: "  hdseg annotate export out/horseseg.yaml --format labelme -o drawn --split train --tier bbox",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := manifests.ParseTier(cmp.Or(tier, string(manifests.Manual)))
			if err := cmp.Or(oneOf("--format", kind, exchange.Formats), usage(err),
				oneOf("--split", cmp.Or(split, string(manifests.Train)), values["split"])); err != nil {
				return err
			}
			set, err := a.input()
			if err != nil {
				return err
			}
			w, err := exchange.Create(kind, a.out, set.Manifest.Class.Name)
			if err != nil {
				return err
			}
			defer w.Abort()
			var records []*manifests.Record
			for i := range set.Manifest.Records {
				if r := &set.Manifest.Records[i]; split == "" || string(r.Split) == split {
					records = append(records, r)
				}
			}
			r := &drawableResult{Folder: a.out}
			a.Read = len(records)
			show := a.stageProgress("exporting pictures")
			err = manifests.Each(cmd.Context(), a.workers, len(records), func(_ context.Context, i int) (exchange.Item, error) {
				return drawable(set.Store, records[i], manifests.Tier(tier))
			}, func(i int, it exchange.Item, err error) error {
				if err != nil {
					a.skip(manifests.Skip{Record: records[i].ID, Reason: "unreadable", Detail: err.Error()})
					return nil
				}
				a.Done++
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
	a.withManifest(cmd)
	a.withOut(cmd, "folder to make (required)")
	f := cmd.Flags()
	f.StringVar(&a.out, "to", "", "folder to make")
	f.Lookup("to").Hidden = true // what -o was called in version 0.2.0
	f.StringVar(&kind, "format", exchange.PNG, strings.Join(exchange.Formats, " | "))
	f.StringVar(&tier, "tier", "", "tier of the masks (default: each record's own)")
	f.StringVar(&split, "split", "", "train or test (default: both)")
	return cmd
}

func drawable(store *manifests.Store, r *manifests.Record, tier manifests.Tier) (it exchange.Item, err error) {
	it.Record = r
	defer load.Hold(r, raster.Decoding)()
	if it.Image, err = load.Image(store, r); err != nil {
		return it, err
	}
	if k, ok := r.MaskOf(cmp.Or(tier, r.Tier)); ok {
		it.Mask, err = load.Mask(store, r, k)
	}
	return it, err
}
