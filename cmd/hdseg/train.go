package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
)

type trainResult struct {
	summary
	Model string `json:"model"` // file
	// file beside it that tells evaluate which pictures it was trained on
	Pictures string           `json:"pictures,omitempty"`
	Tiers    []manifests.Tier `json:"tiers"`
	Kind     string           `json:"kind"`
	Terms    string           `json:"terms"`
	Images   int              `json:"images"`
	Train    float64          `json:"train_seconds"`    // time of the training alone
	Chosen   *lscrf.Choice    `json:"chosen,omitempty"` // with train.chooseFolds
	// which settings it used, in words
	Settings string `json:"settings"`
}

func (r *trainResult) table(w *bytes.Buffer) {
	fmt.Fprintf(w, "%s %s model of %s on %s, %.2f s: %s\n", r.Kind, r.Terms, lscrf.Mix(r.Tiers),
		plural(r.Images, "image", "images"), r.Train, r.Model)
	if r.Chosen != nil {
		fmt.Fprintf(w, "chosen by cross-validation on these images: %s (%s%%)\n", r.Chosen, r.Chosen.Accuracy.Format(1))
	}
	fmt.Fprintf(w, "settings: %s\n", r.Settings)
}

// trainOptions are the flags of train.
type trainOptions struct {
	rows       rowFlags
	shard      shardFlag
	statistics string // file to train from
}

func (o *trainOptions) flags(cmd *cobra.Command) {
	o.rows.flags(cmd)
	withShard(cmd, &o.shard, "write the statistics of one part of the images to -o")
	f := cmd.Flags()
	f.StringVar(&o.statistics, "statistics", "", "train from this `file` of merged statistics instead of -i")
	f.Lookup("tiers").Usage = "tier mix to train on, such as manual,bbox (default: manual)"
	f.Lookup("model").Usage = "linear, trees, logistic, piecewise or pseudolikelihood (default: the preset's)"
	f.Lookup("terms").Usage = "unary or pairwise (default: pairwise)"
	f.Lookup("balance").Usage = "paper or none (default: the config's train.balance)"
}

func (a *app) trainCommand() *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use: "train MANIFEST", Short: "Fit one model",
		Long: `train fits one model to the training images with manual masks, or to those of the mix of tiers that --tiers names:
LS-CRF with linear least squares (linear) or boosted trees (trees), or one of the baselines logistic, piecewise and
pseudolikelihood. All but linear show their loss and the time that remains. The model is written when it is done: a
training that is interrupted starts again. Beside it MODEL.pictures names its training pictures, of which evaluate warns.

Without flags the model is that of --preset network, or without one (--dense none, or a data set that was made so) that of
--preset best. Its features are computed once, beside those of the build, and kept for the next time (.work/features of the
data set). With --model the config's features and trees are used.

On several machines, each makes the statistics of a part of the images with --shard, hdseg merge adds them up, and
--statistics trains linear models from the sum: the same bytes as without parts.`,
		Example: `  hdseg train out/horseseg.yaml -o horse.model
  hdseg train out/horseseg.yaml --preset fast --tiers manual,bbox -o horse.model
  hdseg train out/horseseg.yaml --model trees --set train.trees.trees=200 -o horse.model
  hdseg train out/horseseg.yaml --shard 0/4 -o s0.stats
  hdseg train --statistics all.stats --tiers manual,bbox -o horse.model`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.train(cmd, &o) },
	}
	a.withManifest(cmd)
	a.withConfig(cmd)
	a.withDense(cmd)
	a.withOut(cmd, "model file to write (required)")
	a.withPreset(cmd, "network; best where none is seen")
	o.flags(cmd)
	return cmd
}

func (a *app) train(cmd *cobra.Command, o *trainOptions) error {
	rows := &o.rows
	linear := o.shard.Of > 0 || o.statistics != "" // statistics serve no other models
	e, err := a.experiment()
	if err == nil && a.preset == "" && rows.models == "" && !linear && e.Feature.Dense == nil {
		a.preset = "best"
		e, err = a.experiment()
	}
	if err != nil {
		return err
	}
	model := a.kind(e)
	if p := a.models; linear && rows.models == "" && p.Kind != lscrf.Linear {
		return usagef("hdseg train: --preset %s trains %s, but --shard and --statistics serve linear models alone: want --preset "+
			"network or paper, or train on one machine", p.Name, p.Kind)
	} else if linear {
		model = lscrf.Linear
	}
	rows.balances = cmp.Or(rows.balances, e.Train.Balance)
	rows.tiers, rows.models, rows.terms = cmp.Or(rows.tiers, "manual"), cmp.Or(rows.models, model), cmp.Or(rows.terms, lscrf.Pairwise)
	if err := rows.apply(&e.Bench); err != nil {
		return err
	}
	specs := e.Bench.Specs()
	if len(specs) != 1 {
		return usagef("hdseg train: want one tier mix, one model and one of unary, pairwise that the model has; hdseg bench trains many")
	}
	if err := a.trainUsage(cmd, o, e); err != nil {
		return err
	}
	if !linear {
		if err := trainable(e); err != nil {
			return err
		}
	}
	if err := a.trainOuts(o); err != nil {
		return err
	}
	if o.statistics != "" {
		return a.trainFrom(cmd, o.statistics, specs[0])
	}
	set, err := a.input()
	if err != nil {
		return err
	}
	if err := hasTiers(set.Manifest, specs[0].Tiers); o.shard.Of == 0 && err != nil {
		return err
	}
	trainer, close, err := a.trainer(cmd, o.shard, e, set)
	if err != nil {
		return err
	}
	defer close()
	trainer.About.Class = e.Class.Name
	if o.shard.Of > 0 { // statistics are of all tiers
		a.warn(pipeline.Doubted(set.Manifest, nil))
		return a.trainShard(cmd, o.shard, trainer)
	}
	if !cmd.Flags().Changed("config") {
		a.warn(builtOtherwise(e, pipeline.BuiltWith(set.Store, set.Digest), cmd.Flags().Changed("preset")))
	}
	a.warn(pipeline.Doubted(set.Manifest, specs))
	t, err := trainer.Train(cmd.Context(), specs[0], a.stageProgress("training the model"))
	if err != nil {
		return err
	}
	return a.saveModel(cmd, t, set.Manifest)
}

// trainOuts refuses outputs that cannot be written.
func (a *app) trainOuts(o *trainOptions) error {
	outs := []out{{"-o", a.out, modelFile}}
	switch {
	case o.shard.Of > 0:
		outs[0].kind = statisticsFile
	case o.statistics == "":
		outs = append(outs, out{"-o", a.out + pipeline.PicturesSuffix, picturesFile})
	}
	return a.outFiles([]string{o.statistics}, outs...)
}

// settingsUsed says which settings a model was trained with.
func (a *app) settingsUsed(cmd *cobra.Command) string {
	used := "preset " + a.models.Name
	if cmd.Flags().Changed("config") {
		used += ", config " + a.config
	}
	for _, set := range a.set {
		used += ", " + set
	}
	return used
}

// builtOtherwise names the settings of a build, given as YAML, that a model is not trained with; ""
// if there are none. With chosen, those that presets set were chosen by --preset.
func builtOtherwise(e *configs.Experiment, built string, chosen bool) string {
	own, err := configs.Changes("", string(configs.YAML(e)))
	theirs, other := configs.Changes("", built)
	if err != nil || other != nil {
		return ""
	}
	here := map[string]string{}
	for _, c := range own {
		here[c.Path] = c.Value
	}
	var list []string
	for _, c := range theirs {
		part, _, _ := strings.Cut(c.Path, ".")
		preset := c.Path == "feature.set" || strings.HasPrefix(c.Path, "train.trees.")
		gone := c.Default == "" // of an older version
		if value := cmp.Or(here[c.Path], c.Default); !gone && value != c.Value && (!preset || !chosen) &&
			slices.Contains([]string{"superpixel", "feature", "train", "seed"}, part) {
			list = append(list, fmt.Sprintf("%s=%s (here %s)", c.Path, c.Value, value))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "the data set was built with other settings: " + strings.Join(list, ", ") +
		"; to train with them, name the build's config (-c) or --set"
}

// hasTiers refuses a mix with a tier of which no training record has a mask, and names those that
// there are.
func hasTiers(m *manifests.Manifest, mix lscrf.Mix) error {
	images, usable := pipeline.Masked(m, false), pipeline.Masked(m, true)
	var there []string
	for _, t := range slices.Sorted(maps.Keys(usable)) {
		there = append(there, fmt.Sprintf("%s (%d)", t, usable[t]))
	}
	for _, t := range mix {
		switch {
		case images[t] > 0:
		case len(there) == 0:
			return errors.New("train: " + nothingToLearn)
		default:
			return fmt.Errorf("train: no training image has a mask of the tier %s: want --tiers with some of %s", t,
				strings.Join(there, ", "))
		}
	}
	return nil
}

// nothingToLearn says why a data set trains nothing, and what to do.
const nothingToLearn = "no training image has a mask that a model could learn from: name a source with masks (masks/ in --folder, " +
	"--voc, --coco) and build again"

// trainUsage refuses flags that would be without effect.
func (a *app) trainUsage(cmd *cobra.Command, o *trainOptions, e *configs.Experiment) error {
	given := cmd.Flags().Changed
	if o.shard.Of > 0 {
		if err := e.Train.NeedsImages(); err != nil {
			return usagef("hdseg train --shard: %w", err)
		}
	}
	switch {
	case o.statistics != "" && (a.in != "" || o.shard.Of > 0 || a.dense != ""):
		return usagef("hdseg train: --statistics holds all that is known of the images: leave out the manifest, --shard and --dense")
	case o.shard.Of > 0 && (given("model") || given("terms") || given("tiers") || given("balance")):
		return usagef("hdseg train: the statistics of a shard serve every linear model: give --model, --terms, --tiers and --balance to " +
			"train --statistics")
	}
	for _, set := range a.set {
		part, _, _ := strings.Cut(set, ".")
		if o.statistics != "" && slices.Contains([]string{"superpixel", "feature", "dense"}, part) {
			return usagef("--set %s: the statistics were made with their own superpixels and features", set)
		}
	}
	return nil
}

// saveModel writes a trained model to -o, and beside it the list of its pictures in m, nil where
// that is not known.
func (a *app) saveModel(cmd *cobra.Command, t *lscrf.Trained, m *manifests.Manifest) error {
	data, err := writeBinary(a.out, t.Model)
	if err != nil {
		return err
	}
	list := ""
	if m != nil {
		list = a.out + pipeline.PicturesSuffix
		if err := writeFile(list, pipeline.ListPictures(m, t.Model, data)); err != nil {
			return err
		}
	}
	a.countDone(t.Images)
	a.warnAll(t.Notes())
	return a.report(&trainResult{Model: a.out, Pictures: list, Tiers: t.Tiers, Kind: t.Kind, Terms: t.Terms, Images: t.Images,
		Train: t.Seconds, Chosen: t.Choice, Settings: a.settingsUsed(cmd)})
}

// trainFrom trains from merged statistics.
func (a *app) trainFrom(cmd *cobra.Command, file string, spec lscrf.Spec) error {
	p := new(lscrf.Partial)
	if err := readBinary(file, "statistics", p); err != nil {
		return err
	}
	seen := p.About.Setup.Feature.Dense
	name := a.preset
	if name == "" && seen == nil {
		name = "paper"
	}
	preset, err := configs.FindPreset(name)
	if err != nil {
		return &usageError{err}
	}
	if a.models = preset; seen != nil {
		preset = preset.WithArrays()
	}
	e, err := preset.Load(a.config, a.set...)
	if err != nil {
		return err
	}
	e.Feature.Dense = seen
	if cmd.Flags().Changed("config") && (e.Class.Name != p.About.Class || configs.Digest(e.Setup()) != configs.Digest(p.About.Setup)) {
		return fmt.Errorf("%s: the statistics are of class %s, or of other superpixels or features than -c %s says", file, p.About.Class,
			a.config)
	}
	t, err := p.Train(spec, e.Train)
	if err != nil {
		return err
	}
	return a.saveModel(cmd, t, nil)
}

// trainShard writes the statistics of a shard to -o.
func (a *app) trainShard(cmd *cobra.Command, shard shardFlag, t *lscrf.Trainer) error {
	pairs := t.About.Setup.Feature.Set == feature.Draft
	p, err := lscrf.CollectShard(cmd.Context(), t, shard.I, shard.Of, pairs, a.stageProgress("adding up statistics of pictures"))
	if err != nil {
		return err
	}
	if _, err := writeBinary(a.out, p); err != nil {
		return err
	}
	a.countDone(t.Source.Len())
	return a.report(&mergeResult{Statistics: a.out, Shards: p.Shards, Of: p.Of})
}

type mergeResult struct {
	summary
	Statistics string `json:"statistics"` // file
	Shards     []int  `json:"shards"`
	Of         int    `json:"of"`
}

func (r *mergeResult) table(w *bytes.Buffer) {
	fmt.Fprintf(w, "statistics of %d of %d shards: %s\n", len(r.Shards), r.Of, r.Statistics)
}

func (a *app) mergeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "merge STATISTICS...", Short: "Add up the statistics of shards",
		Long: `merge adds the statistics that hdseg train --shard wrote, of any number of shards in any order: the result has
the same bytes. Statistics of other data or settings and a shard that is given twice are refused.`,
		Example: `  for i in 0 1 2 3; do hdseg train out/horseseg.yaml --shard $i/4 -o s$i.stats; done
  hdseg merge s0.stats s1.stats s2.stats s3.stats -o all.stats
  hdseg train --statistics all.stats --tiers manual,bbox -o horse.model`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("hdseg merge: want statistics files")
			}
			if err := a.outFiles(args, out{"-o", a.out, statisticsFile}); err != nil {
				return err
			}
			var sum *lscrf.Partial
			for _, name := range args {
				p := new(lscrf.Partial)
				if err := readBinary(name, "statistics", p); err != nil {
					return err
				}
				if sum == nil {
					sum = p
				} else if err := sum.Merge(p); err != nil {
					return fmt.Errorf("merge: %s: %w", name, err)
				}
			}
			if _, err := writeBinary(a.out, sum); err != nil {
				return err
			}
			a.all(len(args))
			return a.report(&mergeResult{Statistics: a.out, Shards: sum.Shards, Of: sum.Of})
		},
	}
	a.withOut(cmd, "statistics file to write (required)")
	return cmd
}
