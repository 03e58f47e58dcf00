package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hdseg/lscrf"
	"hdseg/manifests"
)

type mergeResult struct {
	summary
	Statistics string `json:"statistics"` // file
	Shards     []int  `json:"shards"`
	Of         int    `json:"of"`
}

func (r *mergeResult) table(w io.Writer) error {
	_, err := fmt.Fprintf(w, "statistics of %d of %d shards: %s\n", len(r.Shards), r.Of, r.Statistics)
	return err
}

func (a *app) mergeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "merge STATISTICS...", Short: "Add up the statistics of shards",
		Long: `merge adds the statistics that hdseg train --shard wrote, of any number of shards in any order: the result has
the same bytes. Statistics of other data or settings and a shard that is given twice are refused.`,
		Example: `  for i in 0 1 2 3; do hdseg train -i out/horseseg.yaml --shard $i/4 -o s$i.stats; done
  hdseg merge s0.stats s1.stats s2.stats s3.stats -o all.stats
  hdseg train --statistics all.stats --tiers manual,bbox -o horse.model`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.out == "" || len(args) == 0 {
				return usagef("hdseg merge: want statistics files, and -o for the sum")
			}
			if err := a.outFiles(args, out{"-o", a.out, statisticsFile}); err != nil {
				return err
			}
			s := newSummary("merge")
			var sum *lscrf.Partial
			for _, name := range args {
				p, err := readPartial(name)
				if err != nil {
					return err
				}
				if sum == nil {
					sum = p
				} else if err := sum.Merge(p); err != nil {
					return fmt.Errorf("merge: %s: %w", name, err)
				}
			}
			data, err := sum.MarshalBinary()
			if err != nil {
				return err
			}
			if err := manifests.WriteFile(a.out, filepath.Dir(a.out), data); err != nil {
				return err
			}
			s.Read, s.Done = len(args), len(args)
			return a.report(&mergeResult{s, a.out, sum.Shards, sum.Of})
		},
	}
	a.withOut(cmd, "statistics file to write (required)")
	return cmd
}

func readPartial(file string) (*lscrf.Partial, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := new(lscrf.Partial)
	if err := p.UnmarshalBinary(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}
