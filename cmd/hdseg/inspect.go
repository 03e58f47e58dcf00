package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	pathpkg "path"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/manifests"
	"hdseg/manifests/raster"
	"hdseg/manifests/remote"
)

type statsResult struct {
	summary
	Dataset string            `json:"dataset"`
	Records []recordCount     `json:"records"`
	Tallies []manifests.Tally `json:"tallies"` // with --synsets also by synset
}

func (r *statsResult) table(w *bytes.Buffer) {
	fmt.Fprintln(w, r.Dataset)
	fmt.Fprintf(w, "%-6s %-20s %-10s %8s %8s %8s %8s %8s %11s %13s\n", "split", "tier", "synset", "images", "boxes", "masks",
		"doubts", "figure", "size", "predicted IoU")
	for _, t := range r.Tallies {
		figure, predicted := "-", "-"
		if t.FigureShare.N > 0 {
			figure = fmt.Sprintf("%.1f%%", 100*t.FigureShare.Mean)
		}
		if t.Quality.N > 0 {
			predicted = fmt.Sprintf("%.3f", t.Quality.Median)
		}
		size := fmt.Sprintf("%.0f x %.0f", t.Width.Median, t.Height.Median)
		fmt.Fprintf(w, "%-6s %-20s %-10s %8d %8d %8d %8d %8s %11s %13s\n", t.Split, t.Tier, cmp.Or(t.Synset, "all"), t.Images,
			t.Boxes, t.Masks, t.Doubts, figure, size, predicted)
	}
}

func (a *app) statsCommand() *cobra.Command {
	bySynset := false
	cmd := &cobra.Command{
		Use: "stats MANIFEST", Short: "Count images, boxes and masks by split and tier",
		Long: `stats prints one row per split and tier: how many images, boxes and masks there are, how many masks have a doubt (a
status that warns of them), the mean share of figure, the median size in pixels, and the median predicted IoU.
A record counts once under each tier that it has a mask of. --json has the quartiles too.`,
		Example: `  hdseg stats out/horseseg.yaml --json
  hdseg stats out/horseseg.yaml --synsets`,
		RunE: func(*cobra.Command, []string) error {
			set, err := a.input()
			if err != nil {
				return err
			}
			m := set.Manifest
			a.all(len(m.Records))
			return a.report(&statsResult{Dataset: m.Dataset, Records: recordCounts(m), Tallies: manifests.Tallies(m, bySynset)})
		},
	}
	a.withManifest(cmd)
	cmd.Flags().BoolVar(&bySynset, "synsets", false, "also by synset")
	return cmd
}

type lsResult struct {
	summary
	URL string `json:"url"` // the place that was listed
	*remote.Inventory
}

func (r *lsResult) table(w *bytes.Buffer) {
	show := remote.Printable // somebody else may have written the indexes
	for _, h := range r.DataSets {
		what := ""
		if h.Kind == remote.KindShards {
			what = " in " + plural(h.Shards, "archive", "archives")
		}
		fmt.Fprintf(w, "%s: %s, stage %s, hdseg %s, %s%s, sha256 %s\n", show(pathpkg.Join(h.At, h.Name)),
			show(h.Dataset), show(h.Stage), show(h.Version), plural(h.Records, "record", "records"), what, h.SHA256.Short())
		for _, c := range h.Counts {
			fmt.Fprintf(w, "  %-6s %-20s %8d\n", show(string(c.Split)), show(string(c.Tier)), c.Images)
		}
	}
	fmt.Fprintf(w, "%s, %s, %.1f MB\n", plural(len(r.DataSets), "manifest or set of shards", "manifests and sets of shards"),
		plural(r.Objects, "object", "objects"), float64(r.Bytes)/1e6)
}

func (a *app) lsCommand() *cobra.Command {
	var r remoteFlags
	cmd := &cobra.Command{
		Use: "ls s3://BUCKET/PREFIX", Short: "List the manifests and shards in a bucket", Args: exactArgs("s3://BUCKET/PREFIX"),
		Long:    `ls reads only the indexes of the manifests and shards below a prefix. It fetches no pictures.`,
		Example: "  hdseg ls s3://bucket/horseseg --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := r.open(a, cmd, args[0])
			if err != nil {
				return err
			}
			out := &lsResult{URL: args[0]}
			if out.Inventory, err = b.List(cmd.Context()); err != nil {
				return err
			}
			a.warnAll(markerWarnings(out.Markers))
			for _, k := range out.Foreign {
				a.warn(remote.Printable(k) + ": has the name of an index, but is no index of a manifest or of shards")
			}
			switch {
			case out.Objects == 0:
				return fmt.Errorf("%s: no object has this prefix", args[0])
			case len(out.DataSets) == 0:
				a.warn(fmt.Sprintf("%s: none of the %d objects is the index of a manifest or of shards", args[0], out.Objects))
			}
			a.all(len(out.DataSets))
			return a.report(out)
		},
	}
	r.withServer(cmd)
	return cmd
}

type diffResult struct {
	summary
	Counts  []manifests.ChangeCount `json:"counts"`
	Changes []manifests.Change      `json:"changes"`

	all bool
}

func (r *diffResult) table(w *bytes.Buffer) {
	for _, c := range r.Counts {
		fmt.Fprintf(w, "%-6s %-20s %-16s %8d\n", c.Split, c.Tier, c.Kind, c.N)
	}
	for _, c := range r.Changes {
		if r.all {
			fmt.Fprintf(w, "%s %s %s %s\n", c.Split, c.ID, c.Tier, c.Kind)
		}
	}
	fmt.Fprintln(w, plural(len(r.Changes), "change", "changes"))
}

func (a *app) diffCommand() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Compare two manifests", Args: exactArgs("A", "B"),
		Long: `diff counts by split and tier how many records were added, removed and changed from A to B, and how many masks were
added, removed, changed (other bytes) or redescribed (the same bytes with another predicted IoU, status or provenance). The exit
code is 0, whether there are changes or not.`,
		Example: `  hdseg diff old/horseseg.yaml out/horseseg.yaml
  hdseg diff out/stages/split.yaml out/horseseg.yaml --all`,
		RunE: func(_ *cobra.Command, args []string) error {
			x, err := a.readManifest(args[0])
			if err != nil {
				return err
			}
			y, err := a.readManifest(args[1])
			if err != nil {
				return err
			}
			a.all(len(x.Manifest.Records) + len(y.Manifest.Records))
			r := &diffResult{Changes: manifests.Diff(x.Manifest, y.Manifest), all: all}
			r.Counts = manifests.CountChanges(r.Changes)
			if r.Changes == nil { // lists, not null, in JSON
				r.Changes, r.Counts = []manifests.Change{}, []manifests.ChangeCount{}
			}
			return a.report(r)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also list every change")
	return cmd
}

type whyResult struct {
	summary
	ID       string                   `json:"id"`
	Records  []*manifests.Explanation `json:"records"`
	Manifest manifests.Stage          `json:"manifest"`
	Lineage  []manifests.Stage        `json:"lineage"` // its parent first
	// the first ancestor that is not there
	Missing manifests.Digest `json:"missing,omitempty"`

	show  bool // the settings too
	depth int  // levels of voters that are printed
}

func (r *whyResult) table(w *bytes.Buffer) {
	for _, x := range r.Records {
		explanation(w, x, 0, r.depth)
	}
	fmt.Fprintln(w, "manifests, the newest first:")
	for _, s := range append([]manifests.Stage{r.Manifest}, r.Lineage...) {
		h := s.Header
		fmt.Fprintf(w, "  %s: stage %s, %s %s, config %s, seed %d, sha256 %s\n", s.Name, h.Stage, h.Tool, h.Version,
			cmp.Or(h.Config.Short(), "none"), h.Seed, s.Digest.Short())
		if s.Settings != "" {
			fmt.Fprintf(w, "    settings in %s\n", s.Settings)
		}
		if r.show {
			for line := range strings.Lines(h.Settings) {
				fmt.Fprintf(w, "      %s", line)
			}
		}
	}
	if r.Missing != "" {
		fmt.Fprintf(w, "  sha256 %s: not in this folder\n", r.Missing.Short())
	}
}

// explanation prints a record and its masks and, further in, so many levels of the records that
// voted for them.
func explanation(w io.Writer, x *manifests.Explanation, indent, levels int) {
	in := strings.Repeat("  ", indent)
	r := x.Record
	switch {
	case r == nil && len(x.Skips) == 0:
		fmt.Fprintf(w, "%s%s: not in this manifest\n", in, x.ID)
	case r == nil:
		fmt.Fprintf(w, "%s%s: left out\n", in, x.ID)
	case x.Above:
		fmt.Fprintf(w, "%s%s: see above\n", in, x.ID)
	default:
		fmt.Fprintf(w, "%s%s: %s, %s, %s %d x %d, image sha256 %s", in, x.ID, r.Split, r.Tier, r.Image.Format, r.Image.Width,
			r.Image.Height, r.Image.SHA256.Short())
		if r.Image.Origin != "" {
			fmt.Fprintf(w, ", from %s", r.Image.Origin)
		}
		fmt.Fprintln(w)
	}
	for _, k := range x.Skips {
		fmt.Fprintf(w, "%s  skipped: %s: %s\n", in, k.Reason, k.Detail)
	}
	for _, o := range x.Masks {
		k := o.Mask
		fmt.Fprintf(w, "%s  mask %s, revision %d, sha256 %s: by %s", in, k.Tier, k.Revision, k.SHA256.Short(), k.WasGeneratedBy)
		for _, more := range [][2]string{{", ", k.WasAttributedTo}, {", at ", k.GeneratedAtTime}, {", status ", k.Status}} {
			if more[1] != "" {
				fmt.Fprint(w, more[0], more[1])
			}
		}
		if k.Quality > 0 {
			fmt.Fprintf(w, ", predicted IoU %.3f", k.Quality)
		}
		fmt.Fprintln(w)
		var used []string
		for _, d := range k.Used {
			used = append(used, d.Short())
		}
		if len(used) > 0 {
			fmt.Fprintf(w, "%s    used sha256 %s\n", in, strings.Join(used, ", "))
		}
		if levels == 0 && len(o.From) > 0 {
			var strongest []string
			for _, s := range o.From[:min(3, len(o.From))] {
				strongest = append(strongest, s.ID)
			}
			fmt.Fprintf(w, "%s    from %s, the strongest first: %s\n", in, plural(len(o.From), "record", "records"),
				strings.Join(strongest, ", "))
			continue
		}
		for _, s := range o.From {
			explanation(w, s, indent+3, levels-1)
		}
	}
}

func (a *app) whyCommand() *cobra.Command {
	settings, depth := false, 0
	cmd := &cobra.Command{
		Use: "why ID MANIFEST", Short: "Show where a record's masks come from",
		Long: `why prints for each mask of a record which person or program made it, from which files, and which records voted for
it. --depth 1 also explains the records that voted, --depth 2 those that voted for them, and so on. Then why lists the
manifests that led to this one: stage, program version, seed and the file of its settings (there is none before version
0.2.0). For an id that was left out, it prints the reason. --json has all levels.`,
		Example: `  hdseg why n02374451_87 out/horseseg.yaml
  hdseg why n02374451_87 out/horseseg.yaml --depth 1 --settings`,
		RunE: func(_ *cobra.Command, args []string) error {
			if depth < 0 {
				return usagef("--depth %d: want 0 or more", depth)
			}
			set, err := a.input()
			if err != nil {
				return err
			}
			r := &whyResult{ID: args[0], show: settings, depth: depth}
			if r.Records, err = manifests.Why(set.Manifest, args[0]); err != nil {
				return a.noRecord(set.Manifest, args[0])
			}
			if r.Manifest, err = manifests.StageOf(set.Store, set.Name); err != nil {
				return err
			}
			if r.Lineage, r.Missing, err = manifests.Lineage(set.Store, set.Manifest); err != nil {
				return err
			}
			if settings {
				if err := r.readSettings(set.Store); err != nil {
					return err
				}
			}
			a.all(len(r.Records))
			return a.report(r)
		},
	}
	a.withManifest(cmd, "ID")
	cmd.Flags().IntVar(&depth, "depth", 0, "levels of voters to explain, 0 or more")
	cmd.Flags().BoolVar(&settings, "settings", false, "also print the settings of every manifest")
	return cmd
}

func (r *whyResult) readSettings(store *manifests.Store) error {
	all := []*manifests.Stage{&r.Manifest}
	for i := range r.Lineage {
		all = append(all, &r.Lineage[i])
	}
	for _, s := range all {
		if s.Settings == "" {
			continue
		}
		data, err := store.Read(s.Settings, s.Header.Config)
		if err != nil {
			return err
		}
		s.Header.Settings = string(data)
	}
	return nil
}

type showResult struct {
	summary
	File   string            `json:"file"`   // the picture that was written
	Record *manifests.Record `json:"record"` // as the manifest has it
}

func (r *showResult) table(w *bytes.Buffer) {
	x := r.Record
	fmt.Fprintf(w, "%s: %s, %s, %s %d x %d", x.ID, x.Split, x.Tier, x.Image.Format, x.Image.Width, x.Image.Height)
	if x.Image.Origin != "" {
		fmt.Fprintf(w, ", from %s", x.Image.Origin)
	}
	fmt.Fprintln(w)
	for i, b := range x.Boxes {
		fmt.Fprintf(w, "  box %d: %d x %d pixels, upper left corner at %d, %d\n", i+1, b.XMax-b.XMin, b.YMax-b.YMin, b.XMin, b.YMin)
	}
	for _, m := range x.Masks {
		share := 100 * float64(m.Figure) / float64(max(1, x.Image.Width*x.Image.Height-m.Void))
		fmt.Fprintf(w, "  mask %s: %.1f%% figure, by %s\n", pipeline.MaskTitle(m), share, m.WasGeneratedBy)
	}
	fmt.Fprintln(w, "wrote", r.File)
}

func (a *app) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "show ID MANIFEST", Short: "Draw a record with its boxes and masks",
		Long: `show draws one record into a PNG file: the picture with its boxes, and beside it every mask in green with its tier,
revision and predicted IoU. It prints the same in words. hdseg why says where the masks come from.`,
		Example: `  hdseg show n02374451_87 out/horseseg.yaml
  hdseg show n02374451_87 out/horseseg.yaml -o horse.png`,
		RunE: func(_ *cobra.Command, args []string) error {
			file := cmp.Or(a.out, manifests.FileKey(args[0])+".png")
			if err := a.outFiles(nil, out{"-o", file, sheetFile}); err != nil {
				return err
			}
			set, err := a.input()
			if err != nil {
				return err
			}
			r := &showResult{File: file}
			for i := range set.Manifest.Records {
				switch x := &set.Manifest.Records[i]; {
				case x.ID != args[0]:
				case r.Record == nil:
					r.Record = x
				default:
					a.warn(fmt.Sprintf("%s is in training and in the test split: this is the one in %s", x.ID, r.Record.Split))
				}
			}
			if r.Record == nil {
				return a.noRecord(set.Manifest, args[0])
			}
			img, err := pipeline.DrawRecord(set.Store, r.Record)
			if err != nil {
				return err
			}
			if err := writeFile(file, signSheet(raster.EncodePNG(img))); err != nil {
				return err
			}
			a.all(1)
			return a.report(r)
		},
	}
	a.withManifest(cmd, "ID")
	a.withOut(cmd, "PNG file to write; default ID.png in this folder")
	return cmd
}

// noRecord says that no record has an id, and which one was meant.
func (a *app) noRecord(m *manifests.Manifest, id string) error {
	var ids []string
	for i := range m.Records {
		ids = append(ids, m.Records[i].ID)
	}
	err := fmt.Errorf("%s: %s has no record of this id", id, a.in)
	if meant := configs.Meant(id, ids); meant != "" || len(ids) == 0 {
		return fmt.Errorf("%w%s", err, meant)
	}
	return fmt.Errorf("%w: want one such as %s", err, ids[0])
}
