package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/cluster"
	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf/tools/dense"
	"hdseg/manifests/format"
	"hdseg/manifests/remote"
)

// clusterFlags are the flags of build that run it on a cluster.
type clusterFlags struct {
	runner, store, calibrate string
	shards                   int
	here, status, dryRun     bool
	submit                   []string
	endpoint                 string
}

func (c *clusterFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.runner, "runner", "", "run the build on a cluster: slurm, kubernetes, aws-batch, or plan, which submits nothing; "+
		"see cmd/CLUSTERS.md")
	f.IntVar(&c.shards, "shards", 8, "with --runner: parts that run at the same time")
	f.StringVar(&c.store, "store", "", "with --runner and --status: where the build lies, s3://BUCKET/RUN or a folder that all machines see "+
		"(default: -o)")
	f.StringArrayVar(&c.submit, "submit", nil, "with --runner: an option of the scheduler, `name=value`; slurm: those of sbatch; "+
		"kubernetes: image (required), namespace, memory, claim, secret, serviceaccount, retries; aws-batch: queue and definition (required), "+
		"memory, retries; repeatable")
	f.BoolVar(&c.here, "ingest-here", false, "with --runner: read the sources on this machine, as the others do not see them")
	f.StringVar(&c.calibrate, "calibrate", "", "with --runner: estimate by the times of this build, its `NAME.run.yaml`")
	f.BoolVar(&c.status, "status", false, "say how far the build in --store is")
	f.StringVar(&c.endpoint, "endpoint", "", "with --store s3://: URL of a server that is not Amazon's (default: AWS_ENDPOINT_URL)")
}

// alone refuses flags that work only with another.
func (c *clusterFlags) alone(cmd *cobra.Command) error {
	for _, name := range []string{"shards", "store", "submit", "ingest-here", "calibrate", "endpoint"} {
		if cmd.Flags().Changed(name) && c.runner == "" {
			return usagef("--%s works only with --runner: want --runner slurm, kubernetes, aws-batch or plan", name)
		}
	}
	return nil
}

// place opens --store.
func (a *app) place(cmd *cobra.Command, store, endpoint string) (cluster.Place, error) {
	if !strings.HasPrefix(store, "s3://") {
		dir, err := filepath.Abs(store)
		return cluster.Place{Dir: dir}, err
	}
	o := remote.Defaults()
	o.Endpoint, o.Notice = endpoint, a.warn
	if _, _, err := remote.ParseURL(store); err != nil {
		return cluster.Place{}, &usageError{err}
	}
	b, err := remote.Open(cmd.Context(), store, o)
	return cluster.Place{Bucket: b}, err
}

// buildOn plans a build for a cluster and submits it.
func (a *app) buildOn(cmd *cobra.Command, c *clusterFlags, req pipeline.Request) error {
	c.store = cmp.Or(c.store, a.out)
	switch {
	case c.store == "":
		return usagef("hdseg build --runner: --store is missing: name s3://BUCKET/RUN, or a folder that all machines see")
	case dense.Folder(req.Experiment.Feature.Dense):
		return usagef("hdseg build --runner: --dense: the arrays of a network lie where the machines of a cluster do not find them: " +
			"build on one machine, or with --dense lite0")
	case c.shards < 1 || c.shards > 10000:
		return usagef("--shards %d: want 1 to 10000", c.shards)
	case req.From != "" || req.VerifySources:
		return usagef("hdseg build --runner: --from and --verify-sources are for a build on this machine")
	}
	place, err := a.place(cmd, c.store, c.endpoint)
	if err != nil {
		return err
	}
	r, err := a.runner(c, place)
	if err != nil {
		return err
	}
	if err := usage(cmp.Or(req.Validate(), req.Sources.Readable())); err != nil {
		return err
	}
	req.MadeBy = commandOf(os.Args[1:])
	req.Folder, _ = os.Getwd() // "" only makes advice worse
	plan, err := cluster.NewPlan(req, c.shards)
	if err != nil {
		return err
	}
	res := &planResult{Runner: c.runner, Store: place.String(), Plan: string(plan.Digest()), DryRun: c.dryRun}
	if err := a.estimate(cmd, c, place, plan, res); err != nil {
		return err
	}
	if !c.dryRun {
		if err = place.Init(cmd.Context(), plan); err == nil && c.here {
			err = a.ingestHere(cmd, place, plan)
		}
		if err != nil {
			return err
		}
	}
	_, all, _ := place.Status(cmd.Context()) // none of a build that has not begun
	done := func(task string) bool {
		return c.here && (task == "ingest" || task == "split") ||
			slices.ContainsFunc(all, func(t cluster.Progress) bool { return t.Task == task && t.Done == t.Shards })
	}
	if res.Jobs, err = r.Jobs(plan, done); err != nil {
		return err
	}
	a.Read, a.Done = len(plan.Tasks()), len(res.Jobs)
	if !c.dryRun {
		for _, line := range res.costLines() {
			fmt.Fprintln(a.stderr, line)
		}
		r.Submitted = func(line string) { fmt.Fprintln(a.stderr, "submitted", line) }
		if err := r.Submit(cmd.Context(), plan, res.Jobs); err != nil {
			return err
		}
	}
	return a.report(res)
}

// runner returns the scheduler of the flags.
func (a *app) runner(c *clusterFlags, place cluster.Place) (*cluster.Runner, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &cluster.Runner{Name: c.runner, Store: place.String(), Workers: a.workers, Program: program, Options: map[string]string{}}
	r.Logs = filepath.Join(place.Dir, ".work", "run", "logs")
	if place.Bucket != nil {
		if r.Logs, err = filepath.Abs("hdseg-logs"); err != nil {
			return nil, err
		}
		if c.endpoint != "" { // for the tasks
			err = os.Setenv("AWS_ENDPOINT_URL", c.endpoint)
		}
	}
	for _, s := range c.submit {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, usagef("--submit %s: want name=value", s)
		}
		r.Options[strings.TrimLeft(name, "-")] = value
	}
	return r, cmp.Or(usage(r.Validate()), err)
}

// estimate fills in what the tasks will take.
func (a *app) estimate(cmd *cobra.Command, c *clusterFlags, place cluster.Place, plan *cluster.Plan, res *planResult) (err error) {
	times := cluster.Measured
	if c.calibrate != "" {
		if times, err = cluster.ReadTimes(c.calibrate); err != nil {
			return err
		}
	}
	if res.Images, err = place.Images(cmd.Context(), plan, pipeline.IngestProgress(a.stageProgress)); err != nil {
		return err
	}
	res.TimesOf, res.Costs = times.From, plan.Costs(times, res.Images, a.workers)
	a.warn(cluster.Advice(res.Costs, a.workers))
	return nil
}

// ingestHere does the tasks that read the sources.
func (a *app) ingestHere(cmd *cobra.Command, place cluster.Place, plan *cluster.Plan) error {
	for _, t := range plan.Tasks()[:2] {
		for i := range plan.Of(t) {
			shard := pipeline.Shard{I: i, Of: plan.Of(t)}
			if _, err := place.Run(cmd.Context(), t.Name, shard, a.how()); err != nil {
				return fmt.Errorf("%s %d/%d: %w", t.Name, shard.I, shard.Of, err)
			}
		}
	}
	return nil
}

func (a *app) how() cluster.How {
	return cluster.How{Workers: a.workers, Warn: a.warn, Progress: a.stageProgress, Log: os.Getenv("HDSEG_LOG")}
}

// A planResult is what was, or would be, submitted.
type planResult struct {
	summary
	Runner  string         `json:"runner"`   // scheduler
	Store   string         `json:"store"`    // where the build lies
	Plan    string         `json:"plan"`     // digest that names it
	DryRun  bool           `json:"dry_run"`  // nothing was submitted
	Images  int            `json:"images"`   // pictures of the build
	TimesOf string         `json:"times_of"` // what the estimate is by
	Costs   []cluster.Cost `json:"costs"`    // of each task, as estimated
	Jobs    []cluster.Job  `json:"jobs"`     // what is submitted, in order
}

// costLines are the estimate in words.
func (r *planResult) costLines() (out []string) {
	total := 0.0
	out = append(out, fmt.Sprintf("%d pictures; times of %s", r.Images, r.TimesOf))
	for _, c := range r.Costs {
		total += c.Core
		out = append(out, fmt.Sprintf("  %-12s %4d x %8s", c.Task, c.Shards, span(c.Seconds)))
	}
	return append(out, fmt.Sprintf("  together %s of one core", span(total)))
}

// span is a time in words.
func span(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

func (r *planResult) table(w *bytes.Buffer) {
	if r.Runner == cluster.PlanOnly && !r.DryRun {
		fmt.Fprintf(w, "planned in %s: hdseg task NAME --store %[1]s --shard i/n runs its tasks, in the order of "+
			"hdseg build --status\n", format.Shell(r.Store))
		return
	}
	if !r.DryRun {
		fmt.Fprintf(w, "submitted %s to %s; hdseg build --status --store %s says how far it is\n",
			plural(len(r.Jobs), "job", "jobs"), r.Runner, format.Shell(r.Store))
		return
	}
	for _, line := range r.costLines() {
		fmt.Fprintln(w, line)
	}
	for _, j := range r.Jobs {
		fmt.Fprintf(w, "\n==> %s, submitted by: %s\n%s", j.File, shellLine(j.Submit...), j.Text)
	}
}

// buildStatus says how far the build in a place is.
func (a *app) buildStatus(cmd *cobra.Command, c *clusterFlags) error {
	if c.store = cmp.Or(c.store, a.out); c.store == "" {
		return usagef("hdseg build --status: --store is missing: name where the build lies")
	}
	place, err := a.place(cmd, c.store, c.endpoint)
	if err != nil {
		return err
	}
	plan, tasks, err := place.Status(cmd.Context())
	if err != nil {
		return err
	}
	r := &statusResult{Store: place.String(), Plan: string(plan.Digest()), Tasks: tasks}
	for _, t := range tasks {
		a.Read += t.Shards
		a.Done += t.Done
	}
	a.silent = true
	return a.report(r)
}

// A statusResult is how far a build on a cluster is.
type statusResult struct {
	summary
	Store string             `json:"store"` // where the build lies
	Plan  string             `json:"plan"`  // digest that names it
	Tasks []cluster.Progress `json:"tasks"`
}

func (r *statusResult) table(w *bytes.Buffer) {
	for _, t := range r.Tasks {
		line := fmt.Sprintf("%-12s %4d of %4d done", t.Task, t.Done, t.Shards)
		if t.Done > 0 {
			line += fmt.Sprintf(", %s of one core together", span(t.CPU))
		}
		if t.Skips > 0 {
			line += ", " + plural(t.Skips, "skip", "skips")
		}
		fmt.Fprintf(w, "%s   (%s)\n", line, t.Does)
		const most = 10
		for _, k := range t.Skipped[:min(most, t.Skips)] {
			fmt.Fprintf(w, "  skipped %s: %s: %s\n", k.Record, k.Reason, k.Detail)
		}
		if t.Skips > most {
			fmt.Fprintf(w, "  and %d more: --json lists all\n", t.Skips-most)
		}
		for _, f := range t.Failed {
			at := ""
			if f.Log != "" {
				at = "; its output: " + f.Log
			}
			fmt.Fprintf(w, "  shard %d of %d failed on %s at %s: %s%s\n", f.Shard, f.Of, f.Host, f.Ended, f.Error, at)
		}
	}
	if r.Read == r.Done {
		fmt.Fprintf(w, "done: %s holds the data set\n", r.Store)
	}
}

// A taskResult is one task of a build on a cluster that has ended.
type taskResult struct {
	summary
	Task  string `json:"task"`  // name of the step
	Shard int    `json:"shard"` // from 0
	Of    int    `json:"of"`
	Skips int    `json:"skips"` // records that could not be used
}

func (r *taskResult) table(w *bytes.Buffer) {
	fmt.Fprintf(w, "task %s, shard %d of %d: read %d, done %d, %s\n", r.Task, r.Shard, r.Of, r.Read, r.Done,
		plural(r.Skips, "skip", "skips"))
}

func (a *app) taskCommand() *cobra.Command {
	var c clusterFlags
	var shard shardFlag
	cmd := &cobra.Command{
		Use: "task NAME", Short: "Do one task of a build on a cluster", Args: exactArgs("NAME"),
		Long: `task does one step of a build that hdseg build --runner planned, or one shard of a step. Schedulers start it; any other
engine can. It needs nothing but the store: a folder, or s3://BUCKET/RUN, from which it fetches what it reads.

What it skips is no failure: the manifest and the status list it. A picture or mask of the store that cannot be
read is one. A task that was done before ends at once. One that is stopped goes on where it was when it is started again.`,
		Example: `  hdseg task bbox --store s3://bucket/run --shard 3/8
  SLURM_ARRAY_TASK_ID=3 hdseg task features --store /shared/run --shard 8`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.store == "" {
				return usagef("hdseg task: --store is missing: name where the build lies")
			}
			place, err := a.place(cmd, c.store, c.endpoint)
			if err != nil {
				return err
			}
			r, err := place.Run(cmd.Context(), args[0], shard.Shard, a.how())
			if err != nil {
				return err
			}
			a.Read, a.Done, a.silent = r.Read, r.Done, true
			a.warnAll(r.Warnings)
			return a.report(&taskResult{Task: r.Task, Shard: r.Shard, Of: r.Of, Skips: len(r.Skips)})
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.store, "store", "", "where the build lies: a folder, or s3://BUCKET/RUN")
	f.StringVar(&c.endpoint, "endpoint", "", "URL of a server that is not Amazon's (default: AWS_ENDPOINT_URL)")
	withShard(cmd, &shard, "which of the shards")
	return cmd
}
