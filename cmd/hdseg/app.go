package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gopkg.in/yaml.v3"

	"hdseg/configs"
	"hdseg/lscrf/tools/dense"
	"hdseg/manifests"
	"hdseg/transfer"
)

// An app is one run of the program: where it prints, the flags that mean the same in every command,
// and what there is to report.
type app struct {
	summary

	stdout, stderr io.Writer
	args           []string // of the command line

	config   string         // -c
	set      []string       // --set
	in       string         // -i
	out      string         // -o
	workers  int            // -j
	json     bool           // --json
	okSkips  bool           // --exit-ok-skips
	progress string         // --progress
	preset   string         // --preset; "" is as the config has it
	models   configs.Preset // that experiment loaded
	arrays   configs.Dense  // that experiment opened
	dense    string         // --dense
	by       string         // --by of --dense

	release  func()   // lets builds into the folder that the command works in; nil for none
	fresh    []string // folders on the way to -o that are not there, the deepest first
	outs     []out    // files that the command will write, as outFiles saw them
	reported bool     // the result was printed
	skips    int      // what the command left out: decides between exit codes 0 and 3
	line     *progressLine
	after    func() string // what the same command does after an interruption
}

// What the same command does after an interruption: by default it repeats; the commands that train
// see to it themselves.
func continues() string { return "the same command continues from here" }
func learns() string    { return "the same command continues; what it was learning begins again" }
func repeats() string   { return "the same command does it again from the start" }

// warn prints a warning at once; "" is none. The JSON of the result will hold it too.
func (a *app) warn(line string) {
	if line == "" {
		return
	}
	if a.line != nil {
		a.line.clear()
	}
	a.Warnings = append(a.Warnings, line)
	fmt.Fprintln(printable{a.stderr}, "warning:", line)
}

func (a *app) warnAll(lines []string) {
	for _, line := range lines {
		a.warn(line)
	}
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:     "hdseg",
		Version: manifests.Version,
		Short:   "Build figure-ground data sets and measure what each kind of annotation is worth",
		Long: `hdseg builds data sets of pictures with masks: HorseSeg, DogSeg, or one of your own class. It records where every
mask came from, and it measures what each kind of annotation is worth.

Results go to stdout, progress and errors to stderr. Exit codes: 0 done, 1 error, 2 wrong usage, 3 done but some records
were skipped, 130 interrupted (the last line says what the same command does when you run it again).`,
		Example: `  hdseg demo
  hdseg build -c horseseg --voc VOCdevkit/VOC2012 --imagenet n02374451.tar --boxes n02374451.tar.gz --test test/horse -o out
  hdseg check out/horseseg.yaml
  hdseg bench out/horseseg.yaml --tiers manual,bbox --terms pairwise`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.json {
				return usagef("hdseg --json: the command is missing: name one, such as hdseg version --json")
			}
			return cmd.Help()
		},
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.summary = newSummary(strings.TrimPrefix(cmd.CommandPath(), "hdseg "))
			switch cmd.Name() {
			case "build", "demo", "transfer", "task":
				a.after = learns
			case "annotate", "export", "shard", "push", "pull":
				a.after = continues
			}
			if a.dense == "" && cmd.Flags().Changed("dense") {
				return usagef("--dense: got no name, as of a variable that is not set: want a folder of arrays")
			}
			return cmp.Or(a.checkShared(), a.checkOut(cmd), checkRequired(cmd))
		},
	}
	var version bytes.Buffer
	newVersion().table(&version)
	root.SetVersionTemplate(version.String())
	root.Flags().Bool("version", false, "print the version, as hdseg version does")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return &usageError{suggested(cmd, err)} })
	f := root.PersistentFlags()
	f.BoolVar(&a.json, "json", false, "print the result as one JSON object")
	f.StringVar(&a.progress, "progress", "auto", "auto | bar | text | none; auto is a bar on a terminal and plain lines elsewhere")
	f.BoolVar(&a.okSkips, "exit-ok-skips", false, "exit code 0, not 3, if some records were skipped: for schedulers")
	f.IntVarP(&a.workers, "jobs", "j", runtime.GOMAXPROCS(0), "parallel workers; the result does not depend on it")
	for _, c := range []func() *cobra.Command{
		a.demoCommand, a.initCommand, a.buildCommand, a.ingestCommand, a.transferCommand, a.splitCommand,
		a.featuresCommand, a.mergeCommand, a.trainCommand, a.segmentCommand, a.evaluateCommand, a.benchCommand, a.studyCommand,
		a.annotateCommand, a.viewCommand, a.checkCommand, a.statsCommand, a.exportCommand, a.packCommand, a.pushCommand, a.pullCommand,
		a.lsCommand, a.diffCommand, a.whyCommand, a.showCommand, a.infoCommand, a.taskCommand, a.versionCommand,
	} {
		root.AddCommand(c())
	}
	a.withHelp(root)
	eachOnce(root)
	return root
}

// suggested adds the flag that was meant to the error of one that a command does not have.
func suggested(cmd *cobra.Command, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if best := configs.Nearest(name, names); ok && best != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, best)
	}
	return err
}

func (a *app) checkShared() error {
	if a.workers < 1 {
		return usagef("-j %d: want at least 1", a.workers)
	}
	if a.out == "~" || strings.HasPrefix(a.out, "~/") {
		return usagef("-o %s: the shell did not replace ~ by your home folder: write -o ~/..., with a space, or $HOME", a.out)
	}
	return oneOf("--progress", a.progress, values["progress"])
}

// checkRequired refuses a command without a flag whose usage says that it is required. build needs
// -o only where it builds.
func checkRequired(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		what, required := strings.CutSuffix(f.Usage, " (required)")
		if err != nil || !required || f.Value.String() != "" || cmd.Name() == "build" {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand
		}
		err = usagef("%s: %s is missing: %s", cmd.CommandPath(), name, what)
	})
	return err
}

// oneOf refuses a value that is none of a list.
func oneOf(flag, value string, list []string) error {
	if slices.Contains(list, value) {
		return nil
	}
	return usagef("%s %q: want one of %s%s", flag, value, strings.Join(list, ", "), configs.Meant(value, list))
}

// checkOut refuses a -o on whose way a file stands where a folder is wanted, and notes the folders
// that are not there.
func (a *app) checkOut(cmd *cobra.Command) error {
	o := cmd.Flags().Lookup("out")
	if o == nil || o.Value.String() == "" {
		return nil
	}
	at := filepath.Clean(o.Value.String())
	if !strings.HasPrefix(o.Usage, "folder") {
		at = filepath.Dir(at)
	}
	for ; ; at = filepath.Dir(at) {
		switch st, err := os.Stat(at); {
		case err == nil && !st.IsDir():
			return fmt.Errorf("-o %s: %s is a file, want a folder", o.Value, at)
		case err == nil || at == filepath.Dir(at):
			return nil
		}
		if _, err := os.Lstat(at); os.IsNotExist(err) { // no link to a missing folder
			a.fresh = append(a.fresh, at)
		}
	}
}

// experiment loads -c with the changes of --set. What is wrong with a change is a mistake on the
// command line, what is wrong with a file is not.
func (a *app) experiment() (*configs.Experiment, error) {
	name := a.preset
	if name == "" && (a.dense == configs.None || a.dense == "" && a.madePlain()) {
		name = "paper"
	}
	p, err := configs.FindPreset(name)
	if err != nil {
		return nil, &usageError{err}
	}
	if a.preset == p.Name && p.Sees() && a.dense == configs.None {
		return nil, usagef("--preset %s is with a network, --dense none without: leave one out", p.Name)
	}
	if (configs.Dense{Dir: a.dense}).Sees() {
		p = p.WithArrays()
	}
	a.models = p
	if st, err := os.Stat(a.config); err == nil && !st.IsDir() {
		if err := wants(a.config, "config"); err != nil {
			return nil, err
		}
	}
	e, err := p.Load(a.config, a.set...)
	if err != nil && len(a.set) > 0 {
		if _, without := p.Load(a.config); without == nil {
			return nil, &usageError{err}
		}
	}
	if err != nil {
		return nil, err
	}
	e.Dense.Dir, e.Dense.By = cmp.Or(a.dense, e.Dense.Dir), cmp.Or(a.by, e.Dense.By)
	if _, folder := dense.Split(e.Dense.Dir); a.by != "" && (folder == "" || folder == configs.None) {
		return nil, usagef("--by says what made the arrays of --dense: name their folder too")
	}
	a.arrays = e.Dense
	return e, e.OpenDense()
}

// madePlain tells whether the masks of the data set that the command works on were transferred
// without a network, as in version 0.2: models of it do without one too, unless one is asked for.
func (a *app) madePlain() bool {
	store, name, err := locate(a.in)
	if err != nil {
		return false // the command says so
	}
	st, err := manifests.StageOf(store, name)
	if err != nil || st.Header.Stage != "transfer" || st.Settings == "" {
		return err == nil && st.Header.Stage == "transfer"
	}
	text, err := store.Read(st.Settings, "")
	o := transfer.Options{}
	return err == nil && yaml.Unmarshal(text, &o) == nil && o.Dense == nil
}

// withConfig adds -c and --set.
func (a *app) withConfig(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&a.config, "config", "c", "horseseg", "experiment: a YAML file, or horseseg, dogseg or stanford for "+
		"the built-in ones")
	cmd.Flags().StringArrayVar(&a.set, "set", nil, "change one setting, `path=value`, such as transfer.pool.neighbors=20; repeatable")
}

// withManifest makes a manifest the last argument of a command, after those that are named; -i says
// the same. A missing manifest is reported by input, as some commands can do without.
func (a *app) withManifest(cmd *cobra.Command, before ...string) {
	cmd.Flags().StringVarP(&a.in, "in", "i", "", "the manifest, instead of the argument MANIFEST")
	want := strings.Join(append(before, "MANIFEST"), " ")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch n := len(args) - len(before); {
		case n > 0 && before != nil && strings.HasSuffix(args[0], ".yaml") && !strings.HasSuffix(args[1], ".yaml"):
			return usagef("%s: got the manifest first, want %s", cmd.CommandPath(), want)
		case n == 0:
		case n == 1 && a.in == "":
			a.in = args[len(before)]
		case n == 1:
			return usagef("%s: got the manifest twice: -i %s and %s", cmd.CommandPath(), a.in, args[len(before)])
		default:
			return usagef("%s: got %s, want %s", cmd.CommandPath(), plural(len(args), "argument", "arguments"), want)
		}
		return nil
	}
}

// withOut adds -o.
func (a *app) withOut(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVarP(&a.out, "out", "o", "", usage)
}
