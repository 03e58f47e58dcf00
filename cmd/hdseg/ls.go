package main

import (
	"fmt"
	"io"
	pathpkg "path"

	"github.com/spf13/cobra"

	"hdseg/manifests/remote"
)

type lsResult struct {
	summary
	URL string `json:"url"`
	*remote.Inventory
}

func (r *lsResult) table(w io.Writer) error {
	show := remote.Printable // somebody else may have written the indexes
	for _, h := range r.DataSets {
		what := ""
		if h.Kind == remote.KindShards {
			what = fmt.Sprintf(" in %d archives", h.Shards)
		}
		fmt.Fprintf(w, "%s: %s, stage %s, hdseg %s, %d records%s, sha256 %s\n", show(pathpkg.Join(h.At, h.Name)), show(h.Dataset), show(h.Stage), show(h.Version), h.Records, what, h.SHA256.Short())
		for _, c := range h.Counts {
			fmt.Fprintf(w, "  %-6s %-20s %8d\n", show(string(c.Split)), show(string(c.Tier)), c.Images)
		}
	}
	_, err := fmt.Fprintf(w, "%d manifests and sets of shards, %d objects, %.1f MB\n", len(r.DataSets), r.Objects, float64(r.Bytes)/1e6)
	return err
}

func (a *app) lsCommand() *cobra.Command {
	var r remoteFlags
	cmd := &cobra.Command{
		Use: "ls s3://BUCKET/PREFIX", Short: "Say which manifests and shards a bucket holds", Args: exactArgs("s3://BUCKET/PREFIX"),
		Long:    `ls reads the indexes of the manifests and shards below a prefix: no picture and no part of a manifest is fetched.`,
		Example: "  hdseg ls s3://bucket/horseseg --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			s := newSummary("ls")
			b, err := r.open(a, cmd, args[0])
			if err != nil {
				return err
			}
			out := &lsResult{URL: args[0]}
			if out.Inventory, err = b.List(cmd.Context()); err != nil {
				return err
			}
			s.Warnings = append(s.Warnings, markerWarnings(out.Markers)...)
			for _, k := range out.Foreign {
				s.Warnings = append(s.Warnings, remote.Printable(k)+": it is named like an index and is none of a manifest or of shards")
			}
			switch {
			case out.Objects == 0:
				return fmt.Errorf("%s: there is nothing: no object has this prefix", args[0])
			case len(out.DataSets) == 0:
				s.Warnings = append(s.Warnings, fmt.Sprintf("%s: none of the %d objects is the index of a manifest or of shards", args[0], out.Objects))
			}
			s.Read, s.Done = len(out.DataSets), len(out.DataSets)
			out.summary = s
			return a.report(out)
		},
	}
	r.withServer(cmd)
	return cmd
}
