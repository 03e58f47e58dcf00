package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"hdseg/cmd/internal/demo"
	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

type buildResult struct {
	summary
	Manifest string                 `json:"manifest"` // index file
	Report   string                 `json:"report"`   // folder
	Stages   []pipeline.StageReport `json:"stages"`
	Rows     []bench.Row            `json:"rows"`
	Other    []bench.Row            `json:"other_balances"`
	Oracle   bench.Row              `json:"oracle"`
	Next     []string               `json:"next"` // commands to go on with
	// with --verify-sources: how many source files were read, and whether they are as recorded
	Verified string `json:"verified,omitempty"`

	bench *bench.Table
}

// stageCounts are what the stages of a build read and make.
var stageCounts = map[string][2]string{
	"ingest": {"pictures", "records"}, "split": {"records", "kept"}, "transfer": {"records", "with a mask"},
	"features": {"pictures", "described"}, "train": {"training pictures", "models"}, "evaluate": {"test pictures", "measured"},
	"bench": {"models", "rows"},
}

// stageLine says what a stage did.
func stageLine(s pipeline.StageReport) string {
	state := fmt.Sprintf("%.1f s", s.Seconds)
	if s.UpToDate {
		state = "up to date"
	}
	of := stageCounts[s.Name]
	line := fmt.Sprintf("%-9s %s: %d %s, %d %s", s.Name, state, s.Read, of[0], s.Done, of[1])
	if n := len(s.Skips); n > 0 {
		line += ", " + plural(n, "skip", "skips")
	}
	if len(s.Aside) > 0 {
		line += ", left aside" + byReason(s.Aside)
	}
	return line
}

func (r *buildResult) table(w *bytes.Buffer) {
	if r.Verified != "" {
		fmt.Fprintln(w, r.Verified)
	}
	for _, s := range r.Stages {
		fmt.Fprintln(w, stageLine(s))
	}
	report.Text(w, report.Options{Times: true}, r.bench)
	fmt.Fprintf(w, "\nmanifest %s\nreport   %s\n\nNext:\n  %s\n", r.Manifest, r.Report, strings.Join(r.Next, "\n  "))
}

func (a *app) buildCommand() *cobra.Command {
	req := pipeline.Request{}
	var sources sourceFlags
	var split splitFlags
	var on clusterFlags
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build a data set from its sources and measure its tiers",
		Long: `build runs ingest, split, transfer, features, train, evaluate and bench. Stages whose inputs and
settings have not changed are not run again; interrupted at any point, the same command continues. Source files, pictures
and masks that were touched are read again; where their bytes differ, the stages that use them run again.

Sources are those of ingest: folders or archives; lists are comma-separated. For a class of your own, hdseg init writes the
config. Scores need test pictures: --test names them, or --test-share holds out a share of the pictures with masks. A build
without any mask to learn from ends with exit code 3.`,
		Example: `  hdseg build -c horseseg --voc VOCdevkit/VOC2012 --imagenet n02374451.tar --boxes n02374451.tar.gz --test test/horse -o out
  hdseg build -c zebra.yaml --folder zebra -o zebra-dataset
  hdseg build -c my.yaml --set transfer.pool.neighbors=20 --voc VOCdevkit/VOC2012 --test test/horse -o out
  hdseg build -c dogseg --dry-run        # print all settings
  hdseg build -c dogseg --imagenet ILSVRC2012_img_train.tar --runner slurm --shards 64 --store s3://bucket/dogs
  hdseg build --status --store s3://bucket/dogs`,
		Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if on.status {
				return a.buildStatus(cmd, &on)
			}
			if err := on.alone(cmd); err != nil {
				return err
			}
			e, err := a.experiment()
			if err == nil {
				err = sources.apply(e, a.set)
			}
			if err == nil {
				req.Split, err = split.options(e.TestShare)
			}
			if err != nil {
				return err
			}
			e.TestShare = req.Split.TestShare
			if on.dryRun && on.runner == "" {
				return dryBuild(a.stdout, e, a.arrays, req.Split)
			}
			if err := cmp.Or(a.needsClass(e), trainable(e)); err != nil {
				return err
			}
			req.Experiment, req.Sources, req.Out, req.Workers = e, sources.Request, a.out, a.workers
			if on.runner != "" {
				return a.buildOn(cmd, &on, req)
			}
			return a.build(cmd, req)
		},
	}
	a.withConfig(cmd)
	a.withDense(cmd)
	a.withOut(cmd, "folder of the data set (required)")
	a.withPreset(cmd, "network")
	f := cmd.Flags()
	sources.add(cmd)
	split.add(cmd)
	f.BoolVar(&req.VerifySources, "verify-sources", false, "read all source files to see whether they changed, not only those "+
		"that the system says were touched")
	f.StringVar(&req.From, "from", "", "run from this `stage` on even if nothing changed")
	f.BoolVar(&on.dryRun, "dry-run", false, "print the settings that would be used, and the digests that manifests would name them "+
		"by, or with --runner what would be submitted, and stop")
	on.add(cmd)
	return cmd
}

type initResult struct {
	summary
	Config string `json:"config"` // file
	Folder string `json:"folder"` // for the pictures
	Build  string `json:"build"`  // the command to go on with
}

func (r *initResult) table(w *bytes.Buffer) {
	fmt.Fprintf(w, `wrote %s
Put your pictures into %s/images and masks of the same names into %[2]s/masks
(PNG, 0 is ground, 255 is figure; pictures may lack a mask), then run

  %s
`, r.Config, r.Folder, r.Build)
}

func (a *app) initCommand() *cobra.Command {
	var class, number string
	var synsets []string
	cmd := &cobra.Command{
		Use: "init NAME", Short: "Write a config for a class of your own", Args: exactArgs("NAME"),
		Long: `init writes NAME.yaml, a config of a few lines for the class NAME, and prints the command that builds a data set with it.
An existing file is not overwritten.`,
		Example: `  hdseg init zebra
  hdseg init cat --synset n02121808,n02123045
  hdseg init phones --class 'mobile phone' -o configs/phones.yaml`,
		RunE: func(_ *cobra.Command, args []string) error {
			c := configs.Class{Name: cmp.Or(class, args[0]), Synsets: synsets}
			c.VOC = ingest.VOCNumber(c.Name)
			if n, err := strconv.Atoi(number); err == nil {
				c.VOC = n
			} else if c.VOC = cmp.Or(ingest.VOCNumber(number), c.VOC); number != "" && ingest.VOCNumber(number) == 0 {
				return usagef("--voc-class %s: want a number from 0 to 254, or a class of PASCAL VOC such as cat", number)
			}
			text, err := configs.Own(args[0], c)
			if err != nil {
				return &usageError{err}
			}
			file := cmp.Or(a.out, args[0]+".yaml")
			if err := a.outFiles(nil, out{"-o", file, newFile}); err != nil {
				return err
			}
			if err := writeFile(file, text); err != nil {
				return err
			}
			a.all(1)
			a.silent = true
			next := fmt.Sprintf("hdseg build -c %s --folder %s -o %[2]s-dataset", format.Shell(file), args[0])
			return a.report(&initResult{Config: file, Folder: args[0], Build: next})
		},
	}
	a.withOut(cmd, "config to write (default: NAME.yaml)")
	f := cmd.Flags()
	f.StringVar(&class, "class", "", "name of the class in box tables and COCO files (default: NAME)")
	f.StringVar(&number, "voc-class", "", "the class's number in VOC masks, or its name there; 0: not in VOC (default: the number of "+
		"VOC's class of this name, or 0)")
	f.StringSliceVar(&synsets, "synset", nil, "ImageNet synsets of the class: n and 8 digits")
	return cmd
}

// dryBuild prints the settings of an experiment and, as comments, what the header of each stage's
// manifest would have as config.
func dryBuild(w io.Writer, e *configs.Experiment, arrays configs.Dense, split ingest.SplitOptions) error {
	settings := *e // as a config has them
	settings.Dense, settings.Feature.Dense, settings.Transfer.Dense = arrays, nil, nil
	if err := yaml.NewEncoder(w).Encode(settings); err != nil {
		return err
	}
	for _, s := range []struct {
		stage  string
		config manifests.Digest
	}{
		{"ingest", manifests.Sum(configs.YAML(e.Ingest))}, {"split", manifests.Sum(pipeline.SplitSettings(split))}, {"transfer",
			manifests.Sum(e.Transfer.Canonical())},
	} {
		if _, err := fmt.Fprintf(w, "# config of stage %s: %s\n", s.stage, s.config); err != nil {
			return err
		}
	}
	return nil
}

// build runs a build and reports it.
func (a *app) build(cmd *cobra.Command, req pipeline.Request) error {
	if req.Out == "" {
		return usagef("hdseg %s: -o is missing: name the folder of the data set", a.Command)
	}
	req.Command, req.MadeBy = commandLine(), commandOf(os.Args[1:])
	req.Workers, req.Progress, req.Loss, req.Warn = a.workers, a.stageProgress, a.trainLoss, a.warn
	if err := cmp.Or(oneOf("--from", cmp.Or(req.From, pipeline.Stages[0]), pipeline.Stages), usage(req.Validate())); err != nil {
		return err
	}
	// HDSeg trees have test images
	if req.Split.TestShare == 0 && req.Sources.Test == "" && len(req.Sources.HDSeg) == 0 {
		a.warn("the table has no scores unless a source has a test split: name test pictures with --test, or hold out a fifth of the " +
			"pictures with masks with --test-share 0.2")
	}
	req.Ended = a.stageEnded(filepath.Join(req.Out, filepath.FromSlash(pipeline.Ingested)+".skipped.csv"))
	got, err := pipeline.Build(cmd.Context(), req)
	if err != nil {
		return err
	}
	a.Read, a.Done = got.Stages[0].Read, got.Stages[0].Done
	a.warnAll(got.Warnings)
	if len(got.Usable) == 0 {
		a.skips++ // for the exit code
		a.warn(nothingToLearn)
	}
	manifest := filepath.Join(req.Out, got.Manifest)
	return a.report(&buildResult{
		Manifest: manifest, Next: a.next(req.Experiment, manifest, got), Report: filepath.Join(req.Out, "report"),
		Stages: got.Stages, Rows: got.Bench.Rows, Other: got.Bench.OtherBalances, Oracle: got.Bench.Oracle, bench: got.Bench,
		Verified: got.Verified,
	})
}

// stageEnded returns what says, at the end of a stage, what it skipped and what a user should know
// of it: the work may go on for hours. listed is the file that has all skips of ingest.
func (a *app) stageEnded(listed string) func(pipeline.StageReport) {
	seen := map[manifests.Skip]bool{}
	return func(st pipeline.StageReport) {
		a.endProgress()
		var fresh []manifests.Skip
		for _, k := range st.Skips {
			if !seen[k] {
				fresh = append(fresh, k)
				a.Skipped[k.Reason]++
			}
			seen[k] = true
		}
		if len(fresh)+len(st.Warnings) > 0 && !st.UpToDate {
			fmt.Fprintln(a.stderr, stageLine(st))
		}
		if st.Name != "ingest" {
			listed = "" // it has none of these
		}
		a.listSkips(fresh, listed)
		a.warnAll(st.Warnings)
	}
}

// next returns what to do with a data set that was built: check it, look at a picture of it, and
// train on the masks that it has, with the settings of the build.
func (a *app) next(e *configs.Experiment, manifest string, got *pipeline.Result) []string {
	out := []string{again("check", manifest), again("stats", manifest)}
	if test := got.Bench.Test; len(test) > 0 {
		out[1] = again("show", test[0], manifest)
	}
	lacking := func(s pipeline.StageReport) bool { return s.Name == "features" && s.Done < s.Read }
	if len(got.Usable) == 0 || slices.ContainsFunc(got.Stages, lacking) { // train would stop there
		return out
	}
	train := []string{"train", manifest, "-o", strings.ReplaceAll(e.Class.Name, "/", "-") + ".model"}
	if got.Usable[manifests.Manual] == 0 {
		train = append(train, "--tiers", lscrf.Mix(slices.Sorted(maps.Keys(got.Usable))).Key())
	}
	if a.config != "horseseg" {
		train = append(train, "-c", a.config)
	}
	if name := a.trainPreset(e); name != "" {
		train = append(train, "--preset", name)
	}
	if a.dense != "" {
		train = append(train, "--dense", a.dense)
	}
	if a.by != "" {
		train = append(train, "--by", a.by)
	}
	for _, set := range a.set {
		path, _, _ := strings.Cut(set, "=")
		switch part, _, _ := strings.Cut(path, "."); {
		case part == "superpixel", part == "feature", part == "train", part == "seed", part == "dense", path == "bench", path == "bench.models":
			train = append(train, "--set", set)
		}
	}
	return append(out, again(train...))
}

// trainPreset is the preset with which train goes on after a build, "" for its default: where the
// settings forbid trees, that is not it.
func (a *app) trainPreset(e *configs.Experiment) string {
	if a.preset != "" || e.Feature.Dense != nil {
		return a.preset
	}
	best, err := configs.FindPreset("best")
	if err == nil {
		e, err = best.Load(a.config, a.set...)
	}
	if err == nil {
		if len(e.Bench.Models) != 1 { // train takes the preset's
			e.Bench.Models = []string{best.Kind}
		}
		err = trainable(e)
	}
	if err != nil {
		return "paper"
	}
	return ""
}

// demoWorld is what demo draws: tests draw less.
var demoWorld = demo.Defaults()

func (a *app) demoCommand() *cobra.Command {
	o, out := demoWorld, ""
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Draw a small world and build a data set from it",
		Long: `demo draws four-legged figures on cluttered grounds as a VOC devkit, an ImageNet synset tar with a box
archive, and a folder of test masks, and runs on them the same build as real archives get. It shows that
everything works and what the output looks like; its figures say nothing about real images.`,
		Example: `  hdseg demo
  hdseg demo --class dog -o /tmp/dogs`,
		Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return &usageError{err}
			}
			a.config = o.Class + "seg"
			e, err := a.experiment()
			if err != nil {
				return err
			}
			sources := filepath.Join(out, "sources")
			w, err := demo.Draw(sources, o, a.stageProgress("drawing pictures"))
			if err != nil {
				return err
			}
			return a.build(cmd, pipeline.Request{
				Experiment: e, Out: filepath.Join(out, "dataset"),
				Sources: ingest.Request{VOC: []string{w.VOCDir}, ImageNet: []string{w.ImageNetTar}, Boxes: []string{w.BoxesTar},
					Test: w.TestDir},
			})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "hdseg-demo", "folder for the drawn sources and the data set")
	cmd.Flags().StringVar(&o.Class, "class", o.Class, "horse or dog")
	a.withPreset(cmd, "network")
	cmd.Flags().BoolVar(&o.Faults, "faults", false, "plant faults in the sources, to see what a build makes of them")
	return cmd
}
