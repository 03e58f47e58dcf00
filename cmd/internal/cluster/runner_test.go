package cluster

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/ingest"
)

var update = flag.Bool("update", false, "write the golden files")

// plan is that of a build whose version and commit do not change.
func plan(t *testing.T, shards int) *Plan {
	t.Helper()
	e, err := configs.Load("horseseg")
	try(t, err)
	p, err := NewPlan(pipeline.Request{Experiment: e, Sources: ingest.Request{VOC: []string{"/data/VOC2012"}, Test: "/data/test"}}, shards)
	try(t, err)
	p.Version, p.Revision, p.Settings = "v", "r", "dataset: horseseg\n"
	return p
}

var runners = map[string]Runner{
	"slurm": {Name: "slurm", Store: "/shared/run of mine", Workers: 2, Program: "/opt/hdseg", Logs: "/shared/run of mine/.work/run/logs",
		Options: map[string]string{"partition": "cpu", "time": "1:00:00"}},
	"kubernetes": {Name: "kubernetes", Store: "s3://bucket/run", Workers: 4,
		Options: map[string]string{"image": "registry.example/hdseg:0.3.0", "namespace": "vision", "secret": "s3-keys"}},
	"kubernetes-claim": {Name: "kubernetes", Store: "/data/run", Workers: 4, Options: map[string]string{"image": "hdseg", "claim": "shared"}},
	"aws-batch": {Name: "aws-batch", Store: "s3://bucket/run", Workers: 4,
		Options: map[string]string{"queue": "spot", "definition": "hdseg:3", "memory": "8192"}},
}

// What each scheduler gets, as files: the first array, the first single task and the last.
func TestJobs(t *testing.T) {
	for _, name := range passed {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_REGION", "eu-central-1")
	for name, r := range runners {
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		jobs, err := r.Jobs(plan(t, 6), func(task string) bool { return task == "split" })
		if err != nil || len(jobs) != 10 || jobs[1].After != "ingest" || jobs[0].After != "" {
			t.Fatalf("%s: %d jobs, %v", name, len(jobs), err)
		}
		for _, j := range jobs {
			if j.Task != "ingest" && j.Task != "learn-bbox" && j.Task != "table" {
				continue
			}
			got := "# " + strings.Join(j.Submit, " ") + "\n" + j.Text
			if strings.HasSuffix(j.File, ".json") {
				got = j.Text
			}
			golden := filepath.Join("testdata", name+"-"+j.File)
			if *update {
				try(t, os.WriteFile(golden, []byte(got), 0o666))
			} else if want, err := os.ReadFile(golden); err != nil || string(want) != got {
				t.Errorf("%s: is another text (%v): go test ./cmd/internal/cluster -update, and look at the difference:\n%s", golden, err, got)
			}
		}
	}
	r := runners["aws-batch"]
	jobs, err := r.Jobs(plan(t, 1), func(string) bool { return false }) // an array of one does not exist there
	if err != nil || strings.Contains(jobs[0].Text, "arrayProperties") || !strings.Contains(jobs[0].Text, `"0/1"`) {
		t.Errorf("one shard: %v\n%s", err, jobs[0].Text)
	}
}

func TestValidate(t *testing.T) {
	for want, r := range map[string]Runner{
		"--runner slrm: want one of slurm, kubernetes, aws-batch, plan; did you mean slurm?":          {Name: "slrm", Store: "s3://b/r"},
		"--runner kubernetes needs --submit image=VALUE":                                              {Name: "kubernetes", Store: "s3://b/r"},
		"--submit imge: kubernetes takes image, namespace":                                            {Name: "kubernetes", Store: "s3://b/r", Options: map[string]string{"imge": "x"}},
		"--store /run: containers do not see this folder: want s3://BUCKET/RUN, or":                   {Name: "kubernetes", Store: "/run", Options: map[string]string{"image": "x"}},
		"--runner aws-batch needs --submit queue=VALUE":                                               {Name: "aws-batch", Store: "s3://b/r"},
		`"/a\"b/.work/run/logs": sbatch takes no quote, backslash or line break in the path of a log`: {Name: "slurm", Logs: `/a"b/.work/run/logs`},
		`"/a\nb/logs": sbatch takes no quote`:                                                         {Name: "slurm", Logs: "/a\nb/logs"},
		"--store /run: containers":                                                                    {Name: "aws-batch", Store: "/run", Options: map[string]string{"queue": "q", "definition": "d"}},
	} {
		if err := r.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Submitting hands each job the number of the one before; what the scheduler refuses is told with the task.
func TestSubmit(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >> " + bin + "/said\ncat >> " + bin + "/input\nn=$(wc -l < " + bin + "/said)\n[ $n -lt 5 ] || { echo full >&2; exit 1; }\necho \"$((100 + n));here\"\n"
	queue := "#!/bin/sh\necho \"$@\" > " + bin + "/asked\ncat " + bin + "/queue\n"
	for name, text := range map[string]string{"sbatch": script, "squeue": queue, "queue": "hdseg-another-bbox\n"} {
		try(t, os.WriteFile(filepath.Join(bin, name), []byte(text), 0o777))
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	r := runners["slurm"]
	r.Logs = filepath.Join(bin, "logs")
	var told []string
	r.Submitted = func(line string) { told = append(told, line) }
	p := plan(t, 6)
	jobs, err := r.Jobs(p, func(string) bool { return false })
	try(t, err)
	if err := r.Submit(t.Context(), p, jobs); err == nil || !strings.HasPrefix(err.Error(), "task learn-label: sbatch: exit status 1 full: the jobs before it are submitted (the last is 104)") {
		t.Errorf("got %v", err)
	}
	said, _ := os.ReadFile(filepath.Join(bin, "said"))
	if want := "--parsable\n--parsable --kill-on-invalid-dep=yes --dependency=afterok:101\n"; !strings.HasPrefix(string(said), want) {
		t.Errorf("got %q, want %q", said, want)
	}
	if len(told) != 4 || told[3] != "bbox: 104" {
		t.Errorf("told %v", told)
	}
	// What waits or runs is not submitted once more.
	here := r.jobName(p, "split")
	try(t, os.WriteFile(filepath.Join(bin, "queue"), []byte("hdseg-another-bbox\n"+here+"\n"+here+"\n"), 0o666))
	want := "this build is submitted already, and 1 of its jobs wait or run: let them end, or cancel them and submit again: scancel --name=" + here
	if err := r.Submit(t.Context(), p, jobs); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	asked, _ := os.ReadFile(filepath.Join(bin, "asked"))
	if !strings.HasPrefix(string(asked), "--noheader --format=%j --name="+r.jobName(p, "ingest")+","+here+",") {
		t.Errorf("asked %q", asked)
	}
	r.Store = "/shared/another"
	if r.jobName(p, "split") == here {
		t.Error("the jobs of two stores have one name")
	}
}

// Kubernetes has one job after the other. One that runs is waited for, not submitted again.
func TestInTurn(t *testing.T) {
	bin := t.TempDir()
	r := runners["kubernetes"]
	p := plan(t, 6)
	script := "#!/bin/sh\necho \"$3 $4 $5\" >> " + bin + "/said\n[ \"$4\" = jobs ] && echo " + r.jobName(p, "ingest") + "\nexit 0\n"
	try(t, os.WriteFile(filepath.Join(bin, "kubectl"), []byte(script), 0o777))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	r.Submitted = func(string) {}
	jobs, err := r.Jobs(p, func(task string) bool { return task != "ingest" && task != "split" })
	if err == nil {
		err = r.Submit(t.Context(), p, jobs)
	}
	try(t, err)
	said, _ := os.ReadFile(filepath.Join(bin, "said"))
	want := "get jobs -o\nget jobs -o\nwait --for=condition=complete --timeout=30s\n" +
		"get jobs -o\ndelete job " + r.jobName(p, "split") + "\napply -f -\nwait --for=condition=complete --timeout=30s\n"
	if string(said) != want {
		t.Errorf("got %s, want %s", said, want)
	}
}
