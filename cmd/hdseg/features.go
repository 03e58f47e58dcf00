package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/tools/dense"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

type featuresResult struct {
	summary
	Cache string           `json:"cache"` // folder
	Dim   int              `json:"dim"`   // numbers per superpixel
	Key   manifests.Digest `json:"key"`   // digest of all that the features depend on
}

func (r *featuresResult) table(w *bytes.Buffer) {
	fmt.Fprintf(w, "features of %s, %d per superpixel, in %s\n", plural(r.Done, "image", "images"), r.Dim, r.Cache)
}

func (a *app) featuresCommand() *cobra.Command {
	var shard shardFlag
	cmd := &cobra.Command{
		Use: "features MANIFEST", Short: "Cut images into superpixels and compute their features",
		Long: `features writes a feature cache into the folder of the data set: Apache Arrow files with the superpixels' features,
edges and labels of every image that has a mask. train and bench use a cache that was made of the same manifest with the
same settings. The cache that build made stays, and is compared with what was written. That of a data set that may only
be read lies in your cache folder.`,
		Example: `  hdseg features out/horseseg.yaml --set superpixel.count=500
  hdseg features out/horseseg.yaml --shard 2/8`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := a.input()
			if err != nil {
				return err
			}
			e, err := a.experiment()
			if err != nil {
				return err
			}
			c, err := a.features(cmd, shard, e, set)
			if err != nil {
				return err
			}
			defer c.Close()
			if c.Seconds == 0 { // they were there, and nothing here reads them
				if err := c.Verify(); err != nil {
					return err
				}
			}
			a.Read, a.Done = len(set.Manifest.Records), c.Len()
			return a.report(&featuresResult{Cache: filepath.Join(c.Store.Dir(), filepath.FromSlash(c.Dir)), Dim: c.Dim, Key: c.Key})
		},
	}
	a.withManifest(cmd)
	a.withConfig(cmd)
	a.withDense(cmd)
	withShard(cmd, &shard, "only one part of the records, in a cache of its own")
	return cmd
}

// A shardFlag is --shard: one of several parts of the records, or all of them.
type shardFlag struct{ pipeline.Shard }

// shardVariables hold the number of an array job's task; the flag then names the number of tasks
// alone.
var shardVariables = []string{"HDSEG_SHARD", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"}

// shardsVariable holds the number of shards where --shard is not given.
const shardsVariable = "HDSEG_SHARDS"

// withShard adds --shard.
func withShard(cmd *cobra.Command, s *shardFlag, usage string) {
	cmd.Flags().Var(s, "shard", usage+"; i/n with i from 0, or n alone where "+strings.Join(shardVariables, ", ")+" gives i "+
		"(default: "+shardsVariable+", if it is set)")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if n := os.Getenv(shardsVariable); n != "" && !cmd.Flags().Changed("shard") {
			if err := s.Set(n); err != nil {
				return usagef("%s: %w", shardsVariable, err)
			}
		}
		return nil
	}
}

func (s *shardFlag) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.I, s.Of)
}

func (s *shardFlag) Type() string { return "i/n" }

// Set reads "2/8", or "8" with the number from the environment.
func (s *shardFlag) Set(text string) error {
	first, second, ok := strings.Cut(text, "/")
	from := ""
	if !ok {
		second, first = first, ""
		for _, v := range shardVariables {
			if first = os.Getenv(v); first != "" {
				from = " with " + v + "=" + first
				break
			}
		}
	}
	i, err1 := strconv.Atoi(first)
	of, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || of < 1 || i < 0 || i >= of {
		return fmt.Errorf("got %q%s, want i/n with 0 <= i < n, or only n in an array job, whose environment gives i from 0", text, from)
	}
	s.I, s.Of = i, of
	return nil
}

// withDense adds --dense and --by to a command that learns from arrays of a network.
func (a *app) withDense(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.dense, "dense", "", "what a network says of the pictures, further features: lite0, the built-in "+
		"one, a `folder` of arrays of another, ID.npy for each, lite0+FOLDER, or none (as --set dense.dir)")
	cmd.Flags().StringVar(&a.by, "by", "", "what made the arrays of --dense, for provenance (as --set dense.by)")
}

// withDenseOf adds --dense to a command that uses a model.
func (a *app) withDenseOf(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.dense, "dense", "", "`folder` of arrays of the pictures, NAME.npy for each, if the model was trained with some")
}

// readModel reads a model, which takes the arrays of a network from --dense.
func (a *app) readModel(file string) (*lscrf.Model, error) {
	m := new(lscrf.Model)
	err := readBinary(file, "model", m)
	if err != nil {
		return nil, err
	}
	d := m.Setup.Feature.Dense
	builtIn, folder := dense.Split(a.dense)
	switch {
	case folder == "" && (!builtIn || d != nil && d.Network != ""):
		err = dense.Check(d)
	case dense.Folder(d):
		d.Dir = folder
		if _, err = os.Stat(folder + string(filepath.Separator)); err != nil { // of a folder
			err = fmt.Errorf("--dense: %w", inWords(err))
		}
	case d == nil:
		err = usagef("--dense: %s was trained without arrays of a network", file)
	default:
		err = usagef("--dense: %s sees the built-in network alone: leave --dense out", file)
	}
	return m, err
}

// features returns the cache of a manifest's features, made if it is missing or of other
// settings; of all records or of one shard.
func (a *app) features(cmd *cobra.Command, shard shardFlag, e *configs.Experiment, set *pipeline.Dataset) (*pipeline.Features, error) {
	var ids []string
	for _, r := range set.Manifest.Records {
		if len(r.Masks) > 0 {
			ids = append(ids, r.ID)
		}
	}
	if lack := dense.Missing(e.Feature.Dense, ids); len(lack) > 0 {
		return nil, fmt.Errorf("%s: no array of %d of %d pictures with masks: write these too: %s", e.Feature.Dense.Dir, len(lack),
			len(ids), format.Some(lack, 5))
	}
	if err := dense.Sign(cmd.Context(), e.Feature.Dense, set.Manifest, a.workers); err != nil {
		return nil, err
	}
	f, err := pipeline.MakeFeatures(cmd.Context(), shard.Shard, e, set, a.workers, func(stage string) func(int, int) {
		if stage == "features" {
			stage = e.Feature.Set + " features, computed once"
		}
		return a.stageProgress(stage)
	})
	if err != nil {
		return nil, err
	}
	a.endProgress()
	dir := filepath.Join(f.Store.Dir(), filepath.FromSlash(f.Dir))
	if f.Seconds > 0 {
		fmt.Fprintf(a.stderr, "%s features of %d images took %.1f s and are kept in %s\n", e.Feature.Set, f.Len(), f.Seconds, dir)
	} else {
		fmt.Fprintf(a.stderr, "%s features of %d images are those kept in %s: their pictures and masks are unchanged, as the system tells\n",
			e.Feature.Set, f.Len(), dir)
	}
	return f, nil
}
