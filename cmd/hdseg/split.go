package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/manifests"
)

func (a *app) splitCommand() *cobra.Command {
	strict := false
	cmd := &cobra.Command{
		Use: "split", Short: "Take out of training what is also in the test split", Args: noArgs,
		Long: `split removes from training every record that the test split has too, by id, by the file's bytes
or by its decoded pixels, and lists each as skipped (in_test). With --strict any such record is an error.`,
		Example: "  hdseg split -i out/stages/ingest.yaml -o out/stages/split.yaml",
		RunE: func(*cobra.Command, []string) error {
			store, m, digest, err := a.input("split")
			if err != nil {
				return err
			}
			name, err := a.outputName("split", store)
			if err != nil {
				return err
			}
			out, overlaps, err := ingest.Split(m, strict)
			if err != nil {
				return err
			}
			out.Parent = digest
			out.Configure(configs.Canonical("split", strict))
			if _, err := manifests.WriteListed(store, name, out); err != nil {
				return err
			}
			s := newSummary("split")
			s.Read, s.Done = len(m.Records), len(out.Records)
			for _, o := range overlaps {
				s.skip([]manifests.Skip{{Record: o.Train, Reason: ingest.InTest,
					Detail: fmt.Sprintf("the test record %s has the same %s", o.Test, o.By)}})
			}
			return a.report(&stageResult{s, a.out, recordCounts(out)})
		},
	}
	a.withIn(cmd)
	a.withOut(cmd, "manifest to write, in the same folder (required)")
	cmd.Flags().BoolVar(&strict, "strict", false, "an overlap is an error")
	return cmd
}
