package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hdseg/manifests"
)

type diffResult struct {
	summary
	Counts  []manifests.ChangeCount `json:"counts"`
	Changes []manifests.Change      `json:"changes"`

	all bool
}

func (r *diffResult) table(w io.Writer) error {
	for _, c := range r.Counts {
		fmt.Fprintf(w, "%-6s %-20s %-16s %8d\n", c.Split, c.Tier, c.Kind, c.N)
	}
	for _, c := range r.Changes {
		if r.all {
			fmt.Fprintf(w, "%s %s %s %s\n", c.Split, c.ID, c.Tier, c.Kind)
		}
	}
	_, err := fmt.Fprintf(w, "%d changes\n", len(r.Changes))
	return err
}

func (a *app) diffCommand() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Say what manifest B has otherwise than A", Args: exactArgs("A", "B"),
		Long: `diff counts records added, removed and changed, and masks added, removed, changed (other bytes) and described
otherwise (the same bytes with another quality, status or provenance), by split and tier. The exit code is 0 whether
there are changes or not.`,
		Example: `  hdseg diff old/horseseg.yaml out/horseseg.yaml
  hdseg diff out/stages/split.yaml out/horseseg.yaml --all`,
		RunE: func(_ *cobra.Command, args []string) error {
			s := newSummary("diff")
			_, x, _, err := manifests.ReadFile(args[0])
			if err != nil {
				return err
			}
			_, y, _, err := manifests.ReadFile(args[1])
			if err != nil {
				return err
			}
			s.Read = len(x.Records) + len(y.Records)
			s.Done = s.Read
			r := &diffResult{summary: s, Changes: manifests.Diff(x, y), all: all}
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
