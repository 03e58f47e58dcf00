package cluster

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"hdseg/configs"
	"hdseg/manifests"
)

// A Runner submits the tasks of a plan to a scheduler.
type Runner struct {
	Name    string // one of Runners
	Store   string // as tasks are to name it
	Workers int    // cores of each task
	Program string // path of hdseg where tasks run
	Logs    string // folder for their output, where the scheduler does not keep it
	// what only this scheduler or this cluster knows, by name; see Known
	Options map[string]string
	// told of each job that was submitted
	Submitted func(line string)
}

// PlanOnly is the runner that submits nothing: who plans so starts the tasks by other means.
const PlanOnly = "plan"

// Runners are the schedulers that there are.
var Runners = []string{"slurm", "kubernetes", "aws-batch", PlanOnly}

// known are the options of each scheduler beside those of sbatch, which Slurm gets as they are.
var known = map[string][]string{
	"kubernetes": {"image", "namespace", "memory", "claim", "secret", "serviceaccount", "retries"},
	"aws-batch":  {"queue", "definition", "retries", "memory"},
}

// required are those that must be given.
var required = map[string][]string{"kubernetes": {"image"}, "aws-batch": {"queue", "definition"}}

// Validate reports what keeps a plan from being submitted.
func (r *Runner) Validate() error {
	if !slices.Contains(Runners, r.Name) {
		return fmt.Errorf("--runner %s: want one of %s%s", r.Name, strings.Join(Runners, ", "), configs.Meant(r.Name, Runners))
	}
	for _, name := range []string{"array", "dependency", "job-name", "output", "cpus-per-task"} {
		if _, ok := r.Options[name]; ok && r.Name == "slurm" {
			return fmt.Errorf("--submit %s: hdseg sets this itself", name)
		}
	}
	for name := range r.Options {
		if list, ok := known[r.Name]; ok && !slices.Contains(list, name) {
			return fmt.Errorf("--submit %s: %s takes %s%s", name, r.Name, strings.Join(list, ", "), configs.Meant(name, list))
		}
	}
	for _, name := range required[r.Name] {
		if r.Options[name] == "" {
			return fmt.Errorf("--runner %s needs --submit %s=VALUE", r.Name, name)
		}
	}
	if r.Name == "slurm" && strings.ContainsAny(r.Logs, "\"\\\n") {
		return fmt.Errorf("%q: sbatch takes no quote, backslash or line break in the path of a log: give another --store, or call hdseg in "+
			"another folder", r.Logs)
	}
	bucket := strings.HasPrefix(r.Store, "s3://")
	if r.Name == "aws-batch" && !bucket || r.Name == "kubernetes" && !bucket && r.Options["claim"] == "" {
		return fmt.Errorf("--store %s: containers do not see this folder: want s3://BUCKET/RUN%s", r.Store,
			map[bool]string{true: ", or --submit claim=NAME, a volume claim that is mounted there"}[r.Name == "kubernetes"])
	}
	return nil
}

// A Job is a task as a scheduler gets it.
type Job struct {
	Task   string   `json:"task"`   // name of the step
	Shards int      `json:"shards"` // 0: it has none
	Submit []string `json:"submit"` // the command; AFTER stands for the number of the job before
	Text   string   `json:"text"`   // its script, YAML or JSON
	File   string   `json:"-"`      // name for Text
	After  string   `json:"-"`      // the task that must have ended well, "" for none
}

//go:embed slurm.tmpl kubernetes.tmpl
var templates embed.FS

var parsed = template.Must(template.New("").Funcs(template.FuncMap{"quote": quote, "shell": shell}).ParseFS(templates, "*.tmpl"))

// quote writes a string as YAML and JSON do.
func quote(s string) (string, error) {
	data, err := json.Marshal(s)
	return string(data), err
}

// shell writes a word as a shell takes it.
func shell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Jobs returns what is submitted, in order: the tasks of a plan that done does not tell.
func (r *Runner) Jobs(p *Plan, done func(task string) bool) (jobs []Job, err error) {
	jobs, after := []Job{}, ""
	for _, t := range p.Tasks() {
		if done(t.Name) || r.Name == PlanOnly {
			continue
		}
		j := Job{Task: t.Name, After: after}
		if t.Array {
			j.Shards = p.Shards
		}
		switch r.Name {
		case "slurm":
			err = r.slurm(p, &j)
		case "kubernetes":
			err = r.kubernetes(p, &j)
		default:
			err = r.batch(p, &j)
		}
		if err != nil {
			return nil, err
		}
		jobs, after = append(jobs, j), t.Name
	}
	return jobs, nil
}

// jobName names a job of a plan in a store; schedulers want lower case letters, digits and '-'.
func (r *Runner) jobName(p *Plan, task string) string {
	return "hdseg-" + string(manifests.Sum([]byte(string(p.Digest()) + r.Store)))[:8] + "-" + task
}

// args are what a task gets.
func (r *Runner) args(j *Job, shards bool) []string {
	out := []string{"task", j.Task, "--store", r.Store, "-j", fmt.Sprint(r.Workers), "--progress", "text"}
	if shards && j.Shards > 0 {
		out = append(out, "--shard", fmt.Sprint(j.Shards))
	}
	return out
}

func (r *Runner) slurm(p *Plan, j *Job) error {
	var lines []string
	for name, value := range r.Options {
		lines = append(lines, fmt.Sprintf("--%s=%s", name, value))
	}
	slices.Sort(lines)
	log := j.Task + "-%A.log"
	if j.Shards > 0 {
		log = j.Task + "-%A-%a.log"
	}
	var b bytes.Buffer
	err := parsed.ExecuteTemplate(&b, "slurm.tmpl", map[string]any{
		"Name": r.jobName(p, j.Task), "Last": j.Shards - 1, "Array": j.Shards > 0, "Workers": r.Workers,
		"Log":    filepath.Join(strings.ReplaceAll(r.Logs, "%", "%%"), log),
		"LogDir": r.Logs, "Task": j.Task, "Options": lines, "Program": r.Program, "Args": r.args(j, true),
	})
	j.File, j.Text = j.Task+".sh", b.String()
	j.Submit = []string{"sbatch", "--parsable"}
	if j.After != "" {
		j.Submit = append(j.Submit, "--kill-on-invalid-dep=yes", "--dependency=afterok:AFTER")
	}
	return err
}

// passed are the variables of the environment that say where a bucket is; secrets are not among
// them.
var passed = []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION"}

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (r *Runner) environment() (out []variable) {
	for _, name := range passed {
		if v := os.Getenv(name); v != "" {
			out = append(out, variable{name, v})
		}
	}
	return out
}

func (r *Runner) kubernetes(p *Plan, j *Job) error {
	var b bytes.Buffer
	name := r.jobName(p, j.Task)
	err := parsed.ExecuteTemplate(&b, "kubernetes.tmpl", map[string]any{
		"Name": name, "Namespace": r.Options["namespace"], "Shards": max(j.Shards, 1), "Image": r.Options["image"],
		"Args": r.args(j, true), "Workers": r.Workers, "Memory": cmp.Or(r.Options["memory"], "4Gi"), "Env": r.environment(),
		"Secret": r.Options["secret"], "Account": r.Options["serviceaccount"], "Claim": r.Options["claim"], "Path": r.Store,
		"Retries": cmp.Or(r.Options["retries"], "3"),
	})
	j.File, j.Text = j.Task+".yaml", b.String()
	j.Submit = r.kubectl("apply", "-f", "-")
	return err
}

func (r *Runner) kubectl(args ...string) []string {
	if ns := r.Options["namespace"]; ns != "" {
		args = append([]string{"--namespace", ns}, args...)
	}
	return append([]string{"kubectl"}, args...)
}

// batch makes the input of AWS Batch's SubmitJob, as the aws command reads it.
func (r *Runner) batch(p *Plan, j *Job) error {
	type object = map[string]any
	args := r.args(j, j.Shards > 1) // an array has two or more
	if j.Shards == 1 {
		args = append(args, "--shard", "0/1")
	}
	container := object{"command": args, "resourceRequirements": []object{{"type": "VCPU", "value": fmt.Sprint(r.Workers)},
		{"type": "MEMORY", "value": cmp.Or(r.Options["memory"], "4096")}}}
	if env := r.environment(); env != nil {
		container["environment"] = env
	}
	in := object{"jobName": r.jobName(p, j.Task), "jobQueue": r.Options["queue"], "jobDefinition": r.Options["definition"],
		"containerOverrides": container, "retryStrategy": object{"attempts": json.Number(cmp.Or(r.Options["retries"], "3"))}}
	if j.Shards > 1 {
		in["arrayProperties"] = object{"size": j.Shards}
	}
	if j.After != "" {
		in["dependsOn"] = []object{{"jobId": "AFTER"}}
	}
	data, err := json.MarshalIndent(in, "", "  ")
	j.File, j.Text = j.Task+".json", string(data)+"\n"
	j.Submit = []string{"aws", "batch", "submit-job", "--query", "jobId", "--output", "text", "--cli-input-json"}
	return err
}

// standing returns the jobs of the plan that wait or run, by name.
func (r *Runner) standing(ctx context.Context, p *Plan) ([]string, error) {
	var line, names []string
	for _, t := range p.Tasks() {
		names = append(names, r.jobName(p, t.Name))
	}
	switch r.Name {
	case "slurm":
		line = []string{"squeue", "--noheader", "--format=%j", "--name=" + strings.Join(names, ",")}
	case "kubernetes":
		line = r.kubectl("get", "jobs", "-o", "jsonpath={range .items[?(@.status.active)]}{.metadata.name} {end}")
	case "aws-batch": // the name of all, and any state
		line = []string{"aws", "batch", "list-jobs", "--job-queue", r.Options["queue"], "--filters", "name=JOB_NAME,values=" + r.jobName(p, "*"),
			"--query", "jobSummaryList[?status!='SUCCEEDED' && status!='FAILED'].jobName", "--output", "text"}
	default:
		return nil, nil
	}
	out, err := run(ctx, line, "")
	there := strings.Fields(out)
	return slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(there, n) }), err
}

// Submit hands jobs to the scheduler, each after the one before. A build whose jobs wait or run
// there already is an error. For Kubernetes, whose jobs cannot wait for each other, it waits
// itself: it may be stopped, and called again for what is left.
func (r *Runner) Submit(ctx context.Context, p *Plan, jobs []Job) error {
	there, err := r.standing(ctx, p)
	if err != nil {
		return fmt.Errorf("which jobs are submitted already is not known: %w", err)
	}
	if len(there) > 0 && r.Name != "kubernetes" {
		cancel := map[string]string{"slurm": "scancel --name=", "aws-batch": "aws batch terminate-job, of "}[r.Name]
		return fmt.Errorf("this build is submitted already, and %d of its jobs wait or run: let them end, or cancel them and submit again: %s",
			len(there), cancel+strings.Join(there, ","))
	}
	if err := os.MkdirAll(r.Logs, 0o777); r.Name == "slurm" && err != nil {
		return err
	}
	before := ""
	for _, j := range jobs {
		if r.Name == "kubernetes" {
			if err := r.inTurn(ctx, p, j); err != nil {
				return fmt.Errorf("task %s: %w", j.Task, err)
			}
			continue
		}
		text := strings.ReplaceAll(j.Text, `"AFTER"`, `"`+before+`"`)
		line := slices.Clone(j.Submit)
		for i := range line {
			line[i] = strings.ReplaceAll(line[i], "AFTER", before)
		}
		if r.Name == "aws-batch" { // it reads no pipe
			line, text = append(line, text), ""
		}
		out, err := run(ctx, line, text)
		if err != nil && before != "" {
			return fmt.Errorf("task %s: %w: the jobs before it are submitted (the last is %s): cancel them, or submit again when they have ended",
				j.Task, err, before)
		}
		if err != nil {
			return fmt.Errorf("task %s: %w", j.Task, err)
		}
		before, _, _ = strings.Cut(out, ";") // behind it Slurm names its cluster
		r.Submitted(fmt.Sprintf("%s: %s", j.Task, before))
	}
	return nil
}

// inTurn submits a job of Kubernetes, unless it runs, as another call submitted it, and returns
// when it is complete.
func (r *Runner) inTurn(ctx context.Context, p *Plan, j Job) error {
	name := r.jobName(p, j.Task)
	there, err := r.standing(ctx, p)
	if err == nil && !slices.Contains(there, name) {
		// one that failed, or is of another image, would stay
		_, err = run(ctx, r.kubectl("delete", "job", name, "--ignore-not-found", "--wait"), "")
		var out string
		if err == nil {
			out, err = run(ctx, j.Submit, j.Text)
		}
		if err == nil {
			r.Submitted(j.Task + ": " + out)
		}
	}
	if err != nil {
		return err
	}
	return r.wait(ctx, name)
}

// wait returns when a job of Kubernetes is complete, or an error if it failed.
func (r *Runner) wait(ctx context.Context, job string) error {
	const state = `{range .status.conditions[?(@.status=="True")]}{.type} {end}`
	for {
		// it returns at once when the job has ended, whichever way
		line := r.kubectl("wait", "--for=condition=complete", "--timeout=30s", "job/"+job)
		if _, err := run(ctx, line, ""); err == nil {
			return nil
		}
		out, err := run(ctx, r.kubectl("get", "job", job, "-o", "jsonpath="+state), "")
		if err != nil {
			return err
		}
		if strings.Contains(out, "Failed") {
			return fmt.Errorf("job %s failed: %s tells which shards", job, strings.Join(r.kubectl("describe", "job", job), " "))
		}
	}
}

// run runs a command and returns what it prints.
func run(ctx context.Context, line []string, input string) (string, error) {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("%s: %w %s", line[0], err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}
