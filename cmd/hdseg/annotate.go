package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hdseg/annotate"
	"hdseg/annotate/exchange"
	"hdseg/configs"
	"hdseg/manifests"
)

func (a *app) annotateCommand() *cobra.Command {
	root := &cobra.Command{Use: "annotate", Short: "Draw and review masks in the browser, and bring masks drawn by people into a manifest", Args: noArgs}
	var req annotate.Request
	at, tier := "", string(manifests.Manual)
	cmd := &cobra.Command{
		Use: "import", Short: "Take masks that were drawn in another tool as the manual tier", Args: noArgs,
		Long: `import writes a new manifest in which every mask that it reads is the newest manual mask of its record, with its
author and time. With --tier external:NAME the masks are another tool's: a tier of its own, which bench and study measure like
any other and never take for the truth; the record keeps its own tier, and --at may be missing. Earlier masks stay. What belongs to no record, does not fit its picture or has no figure (unfinished
work, unless --empty says that it is meant) is skipped and listed.

--format says what --masks names:
  png      a folder of ID.png, or links to such files: 8-bit grey, 0 ground, 255 figure, 128 void
  labelme  a folder of ID.json: shapes labeled with the class, hole (cut out) or void
  coco     an instances file: the class is figure; the category void, and crowds, are void
  cvat     a zip of CVAT's "Segmentation mask 1.1": the labels background, the class and void`,
		Example: `  hdseg annotate import -i out/horseseg.yaml --masks drawn --by 'Ann Ott' --at 2026-03-04T05:06:07Z -o out/reviewed.yaml
  hdseg annotate import -i out/horseseg.yaml --format cvat --masks task.zip --by 'Ann Ott' --at 2026-03-04T05:06:07Z -o out/reviewed.yaml
  hdseg annotate import -i out/horseseg.yaml --tier external:sam --masks sam --by 'SAM ViT-H' -o out/tools.yaml && hdseg bench -i out/tools.yaml --tiers 'manual;external:sam'`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if req.Tier, err = manifests.ParseTier(tier); err != nil || req.Tier != manifests.Manual && !strings.HasPrefix(tier, "external:") {
				return usagef("--tier %q: want manual or external:NAME", tier)
			}
			if req.Path == "" || req.By == "" || at == "" && req.Tier == manifests.Manual {
				return usagef("hdseg annotate import: want --masks, --by and --at")
			}
			if strings.ContainsFunc(req.By, control) {
				return usagef("--by %q: want a name without control characters", req.By)
			}
			if !slices.Contains(exchange.Formats, req.Format) {
				return usagef("--format %q: want one of %s", req.Format, strings.Join(exchange.Formats, ", "))
			}
			if at == "" { // another tool's masks
			} else if req.At, err = time.Parse(time.RFC3339, at); err != nil {
				return usagef("--at %q: want a time as 2026-03-04T05:06:07Z", at)
			}
			store, m, digest, err := a.input("annotate import")
			if err != nil {
				return err
			}
			name, err := a.outputName("annotate", store)
			if err != nil {
				return err
			}
			if err := a.replaces(digest); err != nil {
				return err
			}
			req.Workers = a.workers
			out, done, skips, err := annotate.Import(cmd.Context(), m, store, req)
			if err != nil {
				return err
			}
			said := []any{"annotate/import", req.By, at}
			if req.Tier != manifests.Manual {
				said = append(said, tier)
			}
			out.Parent = digest
			out.Configure(configs.Canonical(said...))
			if _, err := manifests.WriteListed(store, name, out); err != nil {
				return err
			}
			s := newSummary("annotate import")
			s.Read, s.Done = done+len(skips), done
			s.skip(skips)
			return a.report(&stageResult{s, a.out, recordCounts(out)})
		},
	}
	a.withIn(cmd)
	a.withOut(cmd, "manifest to write, in the same folder (required)")
	cmd.Flags().StringVar(&req.Path, "masks", "", "folder or file of masks (required)")
	cmd.Flags().StringVar(&req.Format, "format", exchange.PNG, "png, labelme, coco or cvat")
	cmd.Flags().BoolVar(&req.Empty, "empty", false, "take masks without figure too: those pictures really show none")
	cmd.Flags().StringVar(&req.By, "by", "", "who drew them (required)")
	cmd.Flags().StringVar(&tier, "tier", tier, "manual, or external:NAME for masks of another tool")
	cmd.Flags().StringVar(&at, "at", "", "when, as 2026-03-04T05:06:07Z (required)")
	root.AddCommand(a.annotateServe(), a.annotateApply(), a.annotateAgree(), a.annotateExport(), cmd)
	return root
}
