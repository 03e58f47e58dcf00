package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hdseg/annotate/campaign"
	"hdseg/configs"
	"hdseg/manifests"
)

// openCampaign opens what serve began, for reading: it may be served at the same time.
func (a *app) openCampaign(command, name string) (*campaign.Campaign, error) {
	store, m, digest, err := a.input(command)
	if err != nil {
		return nil, err
	}
	return campaign.Open(store, campaignName(name, a.in), m, digest, campaign.Options{ReadOnly: true})
}

func (a *app) annotateApply() *cobra.Command {
	campaignFlag := ""
	cmd := &cobra.Command{
		Use: "apply", Short: "Make accepted masks the manual tier of a new manifest", Args: noArgs,
		Long: `apply writes a new manifest in which every accepted mask of a campaign is the newest manual mask of its record,
after the revisions that led to it, each with who drew it, when and from what. What the manifest has already is not
added again.`,
		Example: "  hdseg annotate apply -i out/horseseg.yaml -o out/reviewed.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.openCampaign("annotate apply", campaignFlag)
			if err != nil {
				return err
			}
			name, err := a.outputName("annotate apply", c.Store)
			if err != nil {
				return err
			}
			s := newSummary("annotate apply")
			s.Warnings = append(s.Warnings, c.Warnings...)
			out, done, skips := c.Apply(c.Manifest)
			out.Parent = c.Digest
			out.Configure(configs.Canonical("annotate/apply", c.Name))
			if _, err := manifests.WriteListed(c.Store, name, out); err != nil {
				return err
			}
			s.Read, s.Done = done+len(skips), done
			s.skip(skips)
			return a.report(&stageResult{s, a.out, recordCounts(out)})
		},
	}
	a.withIn(cmd)
	a.withOut(cmd, "manifest to write, in the same folder (required)")
	cmd.Flags().StringVar(&campaignFlag, "name", "", "campaign; default the manifest's name")
	return cmd
}

// An agreeResult is how far annotators agree.
type agreeResult struct {
	summary
	campaign.Agreement
}

func (r *agreeResult) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "annotators\timages\tIoU\tboundary F\tkappa")
	for _, p := range r.Rows {
		fmt.Fprintf(t, "%s, %s\t%d\t%s\t%s\t%s\n", p.A, p.B, p.Images, p.IoU.Format(3), p.Boundary.Format(3), p.Kappa.Format(3))
	}
	if len(r.Rows) > 0 {
		fmt.Fprintf(t, "\nboth began with: %s\n", r.Start)
	}
	return t.Flush()
}

func (a *app) annotateAgree() *cobra.Command {
	campaignFlag := ""
	cmd := &cobra.Command{
		Use: "agree", Short: "Print how far annotators agree on the images that two drew blind", Args: noArgs,
		Long: `agree compares the two masks of every blind image that both annotators have submitted: intersection over union,
boundary F measure (both directions, 0.75% of the diagonal) and Cohen's kappa of the pixels, as means per pair of
annotators. It says whether both began with nothing or with the manifest's mask (serve --blind-start): the latter
inflates agreement. Pixels that either left void do not count. --json lists the images too.`,
		Example: "  hdseg annotate agree -i out/horseseg.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.openCampaign("annotate agree", campaignFlag)
			if err != nil {
				return err
			}
			got, err := c.Agreement()
			if err != nil {
				return err
			}
			r := &agreeResult{summary: newSummary("annotate agree"), Agreement: got}
			r.Warnings = append(r.Warnings, c.Warnings...)
			if got.Start == campaign.StartProposal {
				r.Warnings = append(r.Warnings, "both annotators began with the same mask of the manifest: agreement is higher than of drawings that began with nothing")
			}
			r.Read, r.Done = len(r.Images), len(r.Images)
			return a.report(r)
		},
	}
	a.withIn(cmd)
	cmd.Flags().StringVar(&campaignFlag, "name", "", "campaign; default the manifest's name")
	return cmd
}
