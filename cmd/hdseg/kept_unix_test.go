//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf"
	"hdseg/manifests"
)

// keptIn returns the models that are kept in the work folder of a data set.
func keptIn(set string) []string {
	files, _ := filepath.Glob(filepath.Join(set, ".work", "models", "*.model"))
	return files
}

// endAfterFirst starts a command, ends it by a signal when it has kept a model in a data set, and
// returns what it said.
func endAfterFirst(t *testing.T, sig syscall.Signal, set string, args ...string) (stderr string, code int) {
	t.Helper()
	c := command(args...)
	var errs bytes.Buffer
	c.Stderr = &errs
	try(t, c.Start())
	done := make(chan struct{})
	go func() { _ = c.Wait(); close(done) }() // the exit code is what counts
	for len(keptIn(set)) == 0 {
		select {
		case <-done:
			t.Fatalf("%v: ended before it kept a model: exit %d\n%s", args, c.ProcessState.ExitCode(), errs.String())
		case <-time.After(time.Millisecond):
		}
	}
	try(t, c.Process.Signal(sig))
	<-done
	return errs.String(), c.ProcessState.ExitCode()
}

// An interruption says whether anything is kept.
func TestAfterTraining(t *testing.T) {
	a := &app{}
	k := a.keep(new(lscrf.Trainer), pipeline.NewKept(filepath.Join(t.TempDir(), "models"), func(line string) { t.Error(line) }))
	if got := a.after(); got != repeats() {
		t.Errorf("nothing is kept: %q", got)
	}
	k.Save("11", nil)
	if got := a.after(); !strings.Contains(got, "finished models are kept") {
		t.Errorf("a model is kept: %q", got)
	}
}

// Interrupted or killed, bench goes on with the first missing model to the same table, in
// cross-validation too, and leaves nothing. All models and interruptions take HDSEG_LONG=1.
func TestBenchGoesOn(t *testing.T) {
	longOnly(t)
	in := drawn(t)
	set := filepath.Dir(in)
	models, interruptions := "trees", []syscall.Signal{syscall.SIGINT, syscall.SIGKILL}
	if long {
		models = "trees,logistic"
	}
	for i, more := range [][]string{nil, {"--cross-validate", "2"}} {
		args := append([]string{"bench", "-i", in, "--tiers", "manual", "--balance", "paper", "--model", models, "--json", "--progress", "none",
			"--set", "train.trees.trees=40", "--set", "bench.samples=20"}, more...)
		want := untimed(t, must(t, args...))
		if i > 0 && !long {
			interruptions = interruptions[1:]
		}
		for _, sig := range interruptions {
			said, code := endAfterFirst(t, sig, set, args...)
			if sig == syscall.SIGINT && (code != exitInterrupted || !strings.Contains(said, "finished models are kept")) {
				t.Errorf("%q: exit %d, said %q", more, code, said)
			}
			if len(keptIn(set)) == 0 {
				t.Errorf("%q: nothing is kept", more)
			}
			if got := untimed(t, must(t, args...)); !reflect.DeepEqual(got, want) {
				t.Errorf("%q: the table is another than that of an undisturbed run", more)
			}
			if got := keptIn(set); len(got) > 0 {
				t.Errorf("%q: left: %q", more, got)
			}
		}
	}
}

// A build that is killed in its stage train goes on to the bytes of an undisturbed one.
func TestBuildGoesOnWithTrees(t *testing.T) {
	_, build := world(t, false)
	build = append(build, "--set", "bench.models=[trees]", "--set", "bench.tiers=[manual]", "--set", "bench.balances=[paper]", "--set", "train.trees.trees=40", "-o")
	clean, out := filepath.Join(t.TempDir(), "clean"), filepath.Join(t.TempDir(), "out")
	must(t, append(build, clean)...)
	endAfterFirst(t, syscall.SIGKILL, out, append(build, out)...)
	must(t, append(build, out)...)
	if bytesOf(t, clean) != bytesOf(t, out) {
		t.Error("other bytes than an undisturbed build")
	}
}

// What cannot be written is found before the work, and nothing that is no regular file is put out of the way.
func TestOutputIsCheckedFirst(t *testing.T) {
	in := drawn(t)
	set := filepath.Dir(in)
	dir := t.TempDir()
	fifo, file := filepath.Join(dir, "fifo"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Skip("no named pipes here:", err)
	}
	try(t, os.WriteFile(file, nil, 0o666))
	link := filepath.Join(dir, "link")
	try(t, os.Symlink(fifo, link))
	bad := []string{dir, fifo, link, filepath.Join(file, "x"), "/proc/x/y"}
	for name, args := range map[string][]string{
		"train":            {"train", "-i", in, "-o"},
		"train --shard":    {"train", "-i", in, "--shard", "0/2", "-o"},
		"merge":            {"merge", "none.stats", "-o"},
		"bench --csv":      {"bench", "-i", in, "--csv"},
		"bench --html":     {"bench", "-i", in, "--html"},
		"bench --markdown": {"bench", "-i", in, "--markdown"},
		"bench --folds":    {"bench", "-i", in, "--cross-validate", "2", "--folds-file"},
		"study --html":     {"study", "-i", in, "--html"},
		"contact sheet":    {"transfer", "-i", in, "--evaluate", dir, "--contact-sheet"},
		"calibration":      {"transfer", "-i", in, "--evaluate", dir, "--calibration"},
	} {
		for _, to := range bad {
			_, said, code := hdseg(t, append(slices.Clone(args), to)...)
			if code != exitError || !strings.HasPrefix(strings.Replace(said, "error: -o ", "error: ", 1), "error: "+to+": ") {
				t.Errorf("%s %s: exit %d, said %q", name, to, code, said)
			}
		}
	}
	// Manifests have names of their own in the set.
	pipe := filepath.Join(set, "stages", "pipe.yaml")
	try(t, syscall.Mkfifo(pipe, 0o666))
	for _, args := range [][]string{{"split", "-i", in, "-o", pipe}, {"transfer", "-i", in, "-o", pipe}} {
		says(t, exitError, "no regular file", args...)
	}
	for _, name := range []string{fifo, pipe} {
		if st, err := os.Lstat(name); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
			t.Errorf("%s is no pipe any more: %v", name, err)
		}
	}
	if got, _ := os.ReadDir(dir); len(got) != 3 {
		t.Errorf("%d files in the folder, want the 3 that were there", len(got))
	}
	if os.Getuid() != 0 {
		closed := filepath.Join(dir, "closed")
		try(t, os.Mkdir(closed, 0o555))
		says(t, exitError, "can be written", "train", "-i", in, "-o", filepath.Join(closed, "x"))
	}
	// A folder that is missing is not made.
	says(t, exitError, "make it first", "train", "-i", in, "-o", filepath.Join(dir, "new", "x"))
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("the folder was made")
	}
}

// A shard's statistics that no training of these settings could use are not made.
func TestShardRefusesSettings(t *testing.T) {
	in := drawn(t)
	for _, set := range []string{"train.treeFeatures.folds=2", "train.chooseFolds=3"} {
		name, _, _ := strings.Cut(set, "=")
		out := filepath.Join(t.TempDir(), "s.stats")
		_, said, code := hdseg(t, "train", "-i", in, "--shard", "0/2", "--set", set, "-o", out)
		if _, err := os.Stat(out); code != exitUsage || err == nil || !strings.Contains(said, name) || !strings.Contains(said, "--set "+name+"=") {
			t.Errorf("%s: exit %d, said %q", set, code, said)
		}
	}
}

// A second build or ingest in one folder is refused at once and names the process of the first;
// what a dead process left is taken over.
func TestTwoBuilds(t *testing.T) {
	_, build := world(t, false)
	out := filepath.Dir(drawn(t))
	want := bytesOf(t, out)
	first := command(append(build, "-o", out, "--from", "ingest")...)
	try(t, first.Start())
	defer first.Process.Kill()
	lock := filepath.Join(out, ".tmp", "building")
	owner := fmt.Sprintf("process %d on ", first.Process.Pid)
	for start := time.Now(); exists(filepath.Join(out, ".work", "ingest.yaml")); time.Sleep(time.Millisecond) { // its first stage removes that
		if time.Since(start) > 20*time.Second {
			t.Fatal("the first build began no stage")
		}
	}
	if text, err := os.ReadFile(lock); !strings.HasPrefix(string(text), owner) {
		t.Fatalf("the lock of the first build: got %q, %v, want its process", text, err)
	}
	try(t, first.Process.Signal(syscall.SIGSTOP))
	for _, args := range [][]string{build, append([]string{"ingest"}, build[1:len(build)-2]...)} {
		_, errs, code := hdseg(t, append(args, "-o", out)...)
		if code != exitError || !strings.Contains(errs, "another hdseg builds in "+out) || !strings.Contains(errs, owner) {
			t.Errorf("%s beside a build: exit %d, %s", args[0], code, errs)
		}
	}
	manifest := filepath.Join(out, "horseseg.yaml")
	made := filepath.Join(out, "made.yaml")
	beside := [][]string{
		{"transfer", manifest, "-o", made}, {"split", manifest, "-o", made}, {"features", manifest}, {"features", manifest, "--shard", "0/2"},
		{"train", manifest, "--preset", "fast", "-o", filepath.Join(t.TempDir(), "m.model")}, {"bench", manifest, "--preset", "fast"},
	}
	for _, args := range beside {
		_, errs, code := hdseg(t, args...)
		if code != exitError || !strings.Contains(errs, "another hdseg builds in "+out) || !strings.Contains(errs, owner) {
			t.Errorf("%s beside a build: exit %d, %s", args[0], code, errs)
		}
	}
	first.Process.Kill()
	first.Wait() // its error is the kill
	must(t, append(build, "-o", out)...)
	if bytesOf(t, out) != want {
		t.Error("after a killed build: other bytes than an undisturbed one")
	}
	// of these several may work at once, and no build beside them
	leave, err := manifests.Join(out)
	try(t, err)
	must(t, beside[1]...)
	must(t, beside[2]...)
	says(t, exitError, "another hdseg works in "+out, append(build, "-o", out)...)
	leave()
	if _, err := os.Stat(lock); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock is left: %v", err)
	}
}

// Commands that want other features of a data set at the same time each get their own.
func TestFeaturesAtTheSameTime(t *testing.T) {
	manifest, dir := drawn(t), t.TempDir()
	train := func(name string, count int) []string {
		return []string{"train", manifest, "-o", filepath.Join(dir, name), "--preset", "paper", "--progress", "none", "--set",
			fmt.Sprintf("superpixel.count=%d", count)}
	}
	counts := []int{80, 90, 80, 90}
	running, said := make([]*exec.Cmd, len(counts)), make([]bytes.Buffer, len(counts))
	for i, count := range counts {
		running[i] = command(train(fmt.Sprint(i), count)...)
		running[i].Stderr = &said[i]
		try(t, running[i].Start())
	}
	for i, c := range running {
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %v\n%s", c.Args, err, said[i].String())
		}
	}
	for i, count := range counts {
		must(t, train("alone", count)...)
		if made := filesIn(t, dir); made[fmt.Sprint(i)] != made["alone"] {
			t.Errorf("%d superpixels: the model is not that of a command alone", count)
		}
	}
}
