package main

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/manifests"
	"hdseg/manifests/shard"
)

type packResult struct {
	summary
	Out    string        `json:"out"`
	Shards []shard.Shard `json:"shards"`
}

func (r *packResult) table(w *bytes.Buffer) {
	for _, s := range r.Shards {
		fmt.Fprintf(w, "%-36s %8d samples %12d bytes\n", s.Name, len(s.Samples), s.Bytes)
	}
	fmt.Fprintf(w, "%d shards in %s\n", len(r.Shards), r.Out)
}

func (a *app) packCommand() *cobra.Command {
	o := shard.Defaults()
	var splits, tiers []string
	targetMB := int(o.TargetBytes >> 20)
	dryRun := false
	cmd := &cobra.Command{
		Use: "shard MANIFEST", Short: "Pack a data set into WebDataset archives; verify, unpack",
		Long: `shard writes tar archives for the webdataset library, by split and tier: KEY.jpg, KEY.mask.png and KEY.json, the
manifest's record with its provenance. Equal input gives equal bytes. If it is interrupted, the same command continues.`,
		Example: `  hdseg shard out/horseseg.yaml -o shards
  hdseg shard verify shards out/horseseg.yaml
  hdseg shard unpack shards -o copy`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			o.TargetBytes = int64(targetMB) << 20
			o.Splits, o.Tiers, err = chosen(splits, tiers)
			if err := cmp.Or(err, usage(o.Validate())); err != nil {
				return err
			}
			set, err := a.input()
			if err != nil {
				return err
			}
			a.Read = len(set.Manifest.Records)
			r := &packResult{Out: a.out}
			if dryRun {
				p, err := shard.NewPlan(set.Store, set.Manifest, set.Digest, o)
				if err != nil {
					return err
				}
				r.Shards = p.Shards
			} else {
				ix, err := shard.Pack(cmd.Context(), set.Store, set.Name, set.Manifest, set.Digest, a.out, o, a.workers,
					a.stageProgress("packing pictures"))
				if err != nil {
					return err
				}
				r.Shards = ix.Shards
			}
			for _, sh := range r.Shards {
				a.Done += len(sh.Samples)
			}
			return a.report(r)
		},
	}
	a.withManifest(cmd)
	a.withOut(cmd, "folder to write: a new one, or one that the same command began (required)")
	withChoice(cmd, &splits, &tiers)
	cmd.Flags().IntVar(&targetMB, "target-mb", targetMB, "size at which an archive is full, in MiB; from 1")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the plan and write nothing")
	cmd.AddCommand(a.packVerifyCommand(), a.unpackCommand())
	return cmd
}

func (a *app) packVerifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify DIR [MANIFEST]", Short: "Verify every member of every archive and list all faults",
		Long: `verify compares every member with the manifest. Without a manifest it compares them with the records in the
archives. Any fault makes the exit code 1.`,
		Example: "  hdseg shard verify shards out/horseseg.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			set := new(pipeline.Dataset)
			if a.in != "" {
				var err error
				if set, err = a.readManifest(a.in); err != nil {
					return err
				}
			}
			ix, err := shard.ReadIndex(args[0])
			if err != nil {
				return err
			}
			for _, sh := range ix.Shards {
				a.Read += len(sh.Samples)
			}
			faults, err := shard.Verify(cmd.Context(), args[0], set.Manifest, a.workers, a.stageProgress("checking shards"))
			if err != nil {
				return err
			}
			a.Done = a.Read
			return a.checked(args[0], &checkResult{Faults: faults})
		},
	}
	a.withManifest(cmd, "DIR")
	return cmd
}

func (a *app) unpackCommand() *cobra.Command {
	replace := false
	cmd := &cobra.Command{
		Use: "unpack DIR", Short: "Make a data set from archives", Args: exactArgs("DIR"),
		Long: `unpack writes the pictures, the masks and the manifest. If all archives are there, the manifest has the digest of the
packed one. --replace is needed to overwrite the manifest of another data set, or one that another manifest was made from,
or a whole set by a part of its records.`,
		Example: "  hdseg shard unpack shards -o copy",
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := manifests.OpenStore(a.out)
			if err != nil {
				return err
			}
			m, name, err := shard.Unpack(cmd.Context(), args[0], store, a.workers, replace)
			if err != nil {
				return err
			}
			a.all(len(m.Records))
			return a.report(&stageResult{Manifest: filepath.Join(a.out, filepath.FromSlash(name)+".yaml"), Records: recordCounts(m)})
		},
	}
	a.withOut(cmd, "folder of the data set (required)")
	cmd.Flags().BoolVar(&replace, "replace", false, "also replace a manifest of another data set, or one that another was made from")
	return cmd
}
