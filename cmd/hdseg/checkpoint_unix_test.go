//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hdseg/cmd/internal/pipeline"
)

// trained builds a small world and returns its manifest.
func trained(t *testing.T) string {
	t.Helper()
	_, build := world(t, false)
	out := filepath.Join(t.TempDir(), "set")
	must(t, append(build, "-o", out)...)
	return filepath.Join(out, "horseseg.yaml")
}

// checkpoints returns the names of the checkpoints in a folder, without their keys.
func checkpoints(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.checkpoint"))
	var out []string
	for _, f := range files {
		part, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(f), "x."), "-")
		out = append(out, part)
	}
	slices.Sort(out)
	return out
}

// written returns when the last checkpoint in a folder was written.
func written(dir string) (last time.Time) {
	files, _ := os.ReadDir(dir) // there may be none yet
	for _, f := range files {
		if st, err := f.Info(); err == nil && strings.HasSuffix(f.Name(), ".checkpoint") && st.ModTime().After(last) {
			last = st.ModTime()
		}
	}
	return last
}

// endWhen starts a training, ends it by a signal when it has written a checkpoint and the parts have one, and returns what it said.
func endWhen(t *testing.T, sig syscall.Signal, dir string, parts []string, args ...string) (stderr string, code int) {
	t.Helper()
	c := command(args...)
	c.Env = append(c.Env, "HDSEG_TEST_SAVE_EVERY=1ms")
	var errs bytes.Buffer
	c.Stderr = &errs
	before := written(dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = c.Wait(); close(done) }() // the exit code is what counts
	for !slices.Equal(checkpoints(dir), parts) || !written(dir).After(before) {
		select {
		case <-done:
			t.Fatalf("%v: ended before there were checkpoints of %q: exit %d\n%s", args, parts, c.ProcessState.ExitCode(), errs.String())
		case <-time.After(time.Millisecond):
		}
	}
	if err := c.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	<-done
	return errs.String(), c.ProcessState.ExitCode()
}

// Killed or interrupted in any part, by any signal, train goes on from what it kept and writes the model of an undisturbed run.
func TestTrainGoesOn(t *testing.T) {
	in := trained(t)
	args := []string{"train", "-i", in, "--model", "trees", "--set", "train.trees.trees=150", "--set", "train.treeFeatures.folds=2",
		"--set", "train.treeFeatures.trees=40", "--progress", "none", "-o"}
	clean := filepath.Join(t.TempDir(), "x")
	must(t, append(args, clean)...)
	want, err := os.ReadFile(clean)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	x := filepath.Join(dir, "x")
	for _, end := range []struct {
		sig   syscall.Signal
		parts []string
	}{
		{syscall.SIGKILL, []string{"features"}},
		{syscall.SIGHUP, []string{"features", "node"}},
		{syscall.SIGKILL, []string{"edge", "features", "node"}},
		{syscall.SIGINT, []string{"edge", "features", "node"}},
		{syscall.SIGTERM, []string{"edge", "features", "node"}},
	} {
		if signal.Ignored(end.sig) {
			t.Logf("SKIPPED: %v is ignored here, as under nohup, and so by train", end.sig)
			continue
		}
		said, code := endWhen(t, end.sig, dir, end.parts, append(args, x)...)
		if end.sig != syscall.SIGKILL && (code != exitInterrupted || !strings.Contains(said, "what was trained so far is kept")) {
			t.Errorf("%v: exit %d, said %q", end.sig, code, said)
		}
		if got := checkpoints(dir); len(got) < len(end.parts) {
			t.Errorf("%v: kept %q, want at least %q", end.sig, got, end.parts)
		}
	}
	must(t, append(args, x)...)
	if got, err := os.ReadFile(x); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the model has other bytes than an undisturbed one (%v)", err)
	}
	if got := checkpoints(dir); len(got) > 0 {
		t.Errorf("left beside the model: %q", got)
	}
}

// Without trees nothing is kept, and an interruption says so.
func TestAfterTraining(t *testing.T) {
	dir := t.TempDir()
	keep := pipeline.NewCheckpoints(filepath.Join(dir, "x"), func(line string) { t.Error(line) })
	if got := afterTraining(keep)(); strings.Contains(got, "continues") || !strings.Contains(got, "from the start") {
		t.Errorf("nothing is kept: %q", got)
	}
	keep.Save("node", "11", nil)
	if got := afterTraining(keep)(); !strings.Contains(got, "continues") {
		t.Errorf("trees are kept: %q", got)
	}
}

// Interrupted or killed, bench goes on with the tree at hand to the same table, in cross-validation too, and leaves nothing.
func TestBenchGoesOn(t *testing.T) {
	in := trained(t)
	kept := filepath.Join(filepath.Dir(in), ".work", "checkpoints")
	for _, more := range [][]string{nil, {"--cross-validate", "2"}} {
		args := append([]string{"bench", "-i", in, "--tiers", "manual", "--balance", "paper", "--model", "trees", "--json", "--progress", "none",
			"--set", "train.trees.trees=120", "--set", "bench.samples=20"}, more...)
		table := func(s string) any {
			var b map[string]any
			if err := json.Unmarshal([]byte(s), &b); err != nil {
				t.Fatal(err)
			}
			rows := b["rows"].([]any)
			for _, r := range rows {
				for _, k := range []string{"train_seconds", "predict_ms", "predict_ms_ci"} {
					delete(r.(map[string]any), k)
				}
			}
			return rows
		}
		want := table(must(t, args...))
		said, code := endWhen(t, syscall.SIGINT, kept, []string{"node"}, args...)
		if code != exitInterrupted || !strings.Contains(said, "what was trained so far is kept") {
			t.Errorf("%q: exit %d, said %q", more, code, said)
		}
		if got := table(must(t, args...)); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: the table is another than that of an undisturbed run", more)
		}
		if got := checkpoints(kept); len(got) > 0 {
			t.Errorf("%q: left: %q", more, got)
		}
	}
}

// A build with trees that is killed in its stage train goes on with the tree at hand to the bytes of an undisturbed one.
func TestBuildGoesOnWithTrees(t *testing.T) {
	_, build := world(t, false)
	build = append(build, "--set", "bench.models=[trees]", "--set", "bench.tiers=[manual]", "--set", "bench.balances=[paper]", "--set", "train.trees.trees=100", "-o")
	clean, out := filepath.Join(t.TempDir(), "clean"), filepath.Join(t.TempDir(), "out")
	must(t, append(build, clean)...)
	endWhen(t, syscall.SIGKILL, filepath.Join(out, ".work", "checkpoints"), []string{"edge", "node"}, append(build, out)...)
	must(t, append(build, out)...)
	if bytesOf(t, clean) != bytesOf(t, out) {
		t.Error("other bytes than an undisturbed build")
	}
}

// Checkpoints of other settings are told of and stay, and so is one that was cut short.
func TestTrainOtherCheckpoints(t *testing.T) {
	in := trained(t)
	dir := t.TempDir()
	x := filepath.Join(dir, "x")
	args := []string{"train", "-i", in, "--model", "trees", "--terms", "unary", "--progress", "none", "-o", x, "--set", "train.trees.trees=400"}
	endWhen(t, syscall.SIGTERM, dir, []string{"node"}, args...)
	files, _ := filepath.Glob(filepath.Join(dir, "*.checkpoint"))
	if len(files) != 1 {
		t.Fatalf("%d checkpoints, want 1", len(files))
	}
	kept, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, said, code := hdseg(t, append(slices.Clone(args[:len(args)-1]), "train.trees.trees=5", "--set", "train.trees.rate=0.2")...)
	if code != exitDone || strings.Count(said, "warning:") != 1 || !strings.Contains(said, files[0]+": is of a training with other data or settings") {
		t.Errorf("other settings: exit %d, said %q", code, said)
	}
	if got, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(got, kept) {
		t.Errorf("the checkpoint of other settings did not stay: %v", err)
	}
	if err := os.WriteFile(files[0], kept[:len(kept)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	out, said, code := hdseg(t, append(args, "--json")...)
	if code != exitDone || strings.Count(said, "warning:") != 1 || !strings.Contains(said, files[0]+": cannot be used, this part is trained again") || !strings.Contains(out, "cannot be used") {
		t.Errorf("cut in half: exit %d, said %q", code, said)
	}
	if got := checkpoints(dir); len(got) > 0 {
		t.Errorf("left beside the model: %q", got)
	}
}

// What cannot be written is found before the work, and nothing that is no regular file is put out of the way.
func TestOutputIsCheckedFirst(t *testing.T) {
	in := trained(t)
	set := filepath.Dir(in)
	dir := t.TempDir()
	fifo, file := filepath.Join(dir, "fifo"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Skip("no named pipes here:", err)
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(fifo, link); err != nil {
		t.Fatal(err)
	}
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
			if code != exitError || !strings.HasPrefix(said, "error: "+to+": ") {
				t.Errorf("%s %s: exit %d, said %q", name, to, code, said)
			}
		}
	}
	// Manifests have names of their own in the set.
	pipe := filepath.Join(set, "stages", "pipe.yaml")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"split", "-i", in, "-o", pipe}, {"transfer", "-i", in, "-o", pipe}} {
		if _, said, code := hdseg(t, args...); code != exitError || !strings.Contains(said, "no regular file") {
			t.Errorf("%v: exit %d, said %q", args, code, said)
		}
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
		if err := os.Mkdir(closed, 0o555); err != nil {
			t.Fatal(err)
		}
		if _, said, code := hdseg(t, "train", "-i", in, "-o", filepath.Join(closed, "x")); code != exitError || !strings.Contains(said, "can be written") {
			t.Errorf("a folder that cannot be written: exit %d, said %q", code, said)
		}
	}
	// A folder that is missing is not made.
	if _, said, code := hdseg(t, "train", "-i", in, "-o", filepath.Join(dir, "new", "x")); code != exitError || !strings.Contains(said, "make it first") {
		t.Errorf("a folder that is missing: exit %d, said %q", code, said)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("the folder was made")
	}
}

// A shard's statistics that no training of these settings could use are not made.
func TestShardRefusesSettings(t *testing.T) {
	in := trained(t)
	for _, set := range []string{"train.treeFeatures.folds=2", "train.context=1", "train.sampling=paper", "train.choose.folds=3"} {
		name, _, _ := strings.Cut(set, "=")
		out := filepath.Join(t.TempDir(), "s.stats")
		_, said, code := hdseg(t, "train", "-i", in, "--shard", "0/2", "--set", set, "-o", out)
		if _, err := os.Stat(out); code != exitUsage || err == nil || !strings.Contains(said, name) || !strings.Contains(said, "--set "+name+"=") {
			t.Errorf("%s: exit %d, said %q", set, code, said)
		}
	}
}

// A study of trees that is killed goes on from the trees that it kept, of several trainings at once, to the same result.
func TestStudyGoesOn(t *testing.T) {
	in := trained(t)
	kept := filepath.Join(filepath.Dir(in), ".work", "checkpoints")
	args := []string{"study", "-i", in, "--model", "trees", "--draws", "1", "--folds", "3", "--json", "--progress", "none", "-j", "2", "--set", "train.trees.trees=20", "--set", "bench.samples=20"}
	want := untimed(t, must(t, args...))
	c := command(args...)
	c.Env = append(c.Env, "HDSEG_TEST_SAVE_EVERY=1ms")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = c.Wait(); close(done) }() // it is killed
	for len(checkpoints(kept)) < 4 {
		select {
		case <-done:
			t.Fatal("ended before it kept trees")
		case <-time.After(time.Millisecond):
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-done
	if n := len(checkpoints(kept)); n < 4 {
		t.Errorf("%d checkpoints are left", n)
	}
	if got := untimed(t, must(t, args...)); !reflect.DeepEqual(got, want) {
		t.Error("the result is another than that of an undisturbed study")
	}
	if got := checkpoints(kept); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}
