package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hdseg/cmd/internal/demo"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
)

// The test binary is also the program, so that tests can kill a real process.
func TestMain(m *testing.M) {
	if as := os.Getenv("HDSEG_TEST_MAIN"); as != "" {
		if as == "small" {
			demoWorld, quietFor, lineEvery = small, 0, 0
		}
		code := run(os.Args[1:], os.Stdout, os.Stderr)
		if peak := os.Getenv("HDSEG_TEST_PEAK"); peak != "" { // a file for what the system says of this process
			status, err := os.ReadFile("/proc/self/status")
			if err := errors.Join(err, os.WriteFile(peak, status, 0o666)); err != nil {
				panic(err)
			}
		}
		os.Exit(code)
	}
	code := m.Run()
	browsertest.End()
	if shared.dir != "" {
		os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// long tells whether tests take all the time that .ci/run gives them.
var long = os.Getenv("HDSEG_LONG") != ""

// program is absolute, because tests change the folder.
var program, _ = filepath.Abs(os.Args[0])

func command(args ...string) *exec.Cmd {
	c := exec.Command(program, args...)
	c.Env = append([]string{"HDSEG_TEST_MAIN=1"}, os.Environ()...) // a test may set it, too
	return c
}

// hdseg runs the program and returns what it printed and its exit code.
func hdseg(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	c := command(args...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// says runs a command, which must end with this code and print this on stderr.
func says(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	if _, errs, got := hdseg(t, args...); got != code || !strings.Contains(errs, want) {
		t.Errorf("hdseg %s: exit %d, want %d with %q in\n%s", strings.Join(args, " "), got, code, want, errs)
	}
}

// result is what a command prints with --json.
func result[T any](t *testing.T, args ...string) (v T) {
	t.Helper()
	try(t, json.Unmarshal([]byte(must(t, args...)), &v))
	return v
}

// found lists the files that fit a pattern; there must be some.
func found(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: got %v, %v, want files", pattern, files, err)
	}
	return files
}

// try ends a test at an error.
func try(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code := hdseg(t, args...)
	if code != exitDone {
		t.Fatalf("hdseg %s: exit %d\n%s", strings.Join(args, " "), code, errs)
	}
	return out
}

// small is a world that is drawn and built in a second.
var small = demo.Options{Seed: 3, Class: "horse", Manual: 5, Others: 1, Boxes: 4, Labels: 3, Tests: 3, LongPx: 120}

// shared has what most tests begin with, made once: the sources of the small world, without and with faults, and a data set.
// Tests change neither.
var shared struct {
	dir    string
	worlds map[bool]demo.World
	set    string
}

// sharedDir returns the folder of what tests share.
func sharedDir(t *testing.T) string {
	t.Helper()
	if shared.dir == "" {
		dir, err := os.MkdirTemp("", "hdseg-test")
		try(t, err)
		shared.dir, shared.worlds = dir, map[bool]demo.World{}
	}
	return shared.dir
}

// world returns a small world, whose sources all tests share, and the arguments that build it.
func world(t *testing.T, faults bool) (demo.World, []string) {
	t.Helper()
	dir := sharedDir(t)
	w, ok := shared.worlds[faults]
	if !ok {
		o := small
		o.Faults = faults
		var err error
		if w, err = demo.Draw(filepath.Join(dir, fmt.Sprintf("faults-%v", faults), "sources"), o, func(int, int) {}); err != nil {
			t.Fatal(err)
		}
		shared.worlds[faults] = w
	}
	return w, []string{"build", "-c", "horseseg", "--progress", "none", "--voc", w.VOCDir, "--imagenet", w.ImageNetTar,
		"--boxes", w.BoxesTar, "--test", w.TestDir, "--set", "bench.samples=50", "--set", "dense.dir=none"} // for speed
}

// drawn returns the manifest of a data set built from the small world, the test's own copy.
func drawn(t *testing.T) string {
	t.Helper()
	if shared.set == "" {
		_, build := world(t, false)
		set := filepath.Join(sharedDir(t), "set")
		must(t, append(build, "-o", set)...)
		shared.set = set
	}
	dir := filepath.Join(t.TempDir(), "copy")
	try(t, os.CopyFS(dir, os.DirFS(shared.set)))
	return filepath.Join(dir, "horseseg.yaml")
}

// bytesOf digests a data set without what belongs to the run: times, work files and locks.
func bytesOf(t *testing.T, dir string) string {
	t.Helper()
	return treeOf(t, dir, "*.run.yaml", ".tmp")
}

// treeOf returns a digest of the files of a folder; see filesIn.
func treeOf(t *testing.T, dir string, but ...string) string {
	t.Helper()
	return string(manifests.Sum(fmt.Append(nil, filesIn(t, dir, but...))))
}

// filesIn returns what the files of a folder hold, by their names there. Files and folders whose
// name, or the last part of it, fits a pattern are left out.
func filesIn(t *testing.T, dir string, but ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		for _, p := range but {
			whole, _ := path.Match(p, name)
			if last, _ := path.Match(p, path.Base(name)); err == nil && (whole || last) {
				if e.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
		}
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		out[name] = string(data)
		return err
	})
	try(t, err)
	return out
}

func TestBuildBytes(t *testing.T) {
	_, build := world(t, false)
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	must(t, append(build, "-o", one, "-j", "1")...)
	must(t, append(build, "-o", two, "-j", "2")...)
	want := bytesOf(t, one)
	if got := bytesOf(t, two); got != want {
		t.Errorf("-j 1 and -j 2 give other bytes")
	}
	again := result[buildResult](t, append(build, "-o", one, "--json")...)
	if len(again.Stages) != 7 {
		t.Fatalf("got %d stages, want 7", len(again.Stages))
	}
	for _, s := range again.Stages {
		if !s.UpToDate {
			t.Errorf("stage %s ran again although nothing changed", s.Name)
		}
	}
	if got := bytesOf(t, one); got != want {
		t.Error("a second build changed bytes")
	}
	manifest := filepath.Join(one, "horseseg.yaml")
	must(t, "check", manifest, "--deep")
	stats := result[statsResult](t, "stats", manifest, "--json")
	got := map[string]int{}
	for _, r := range stats.Records {
		got[string(r.Split)+" "+string(r.Tier)] = r.Images
	}
	for key, n := range map[string]int{"train manual": small.Manual, "train bbox": small.Boxes, "train label": small.Labels, "test manual": small.Tests} {
		if got[key] != n {
			t.Errorf("%s: got %d images, want %d", key, got[key], n)
		}
	}
}

// Killed at three random points (ten with HDSEG_LONG=1) and run again, a build ends with the bytes of an undisturbed one.
func TestKilledBuild(t *testing.T) {
	_, build := world(t, false)
	clean := filepath.Join(t.TempDir(), "clean")
	start := time.Now()
	must(t, append(build, "-o", clean)...)
	whole := time.Since(start)
	want := bytesOf(t, clean)
	rng := rand.New(rand.NewPCG(1, 2))
	killed := 0
	rounds := 3
	if long {
		rounds = 10
	}
	for i := range rounds {
		out := filepath.Join(t.TempDir(), "killed")
		c := command(append(build, "-o", out)...)
		try(t, c.Start())
		time.Sleep(time.Duration(rng.Float64() * float64(whole)))
		if err := c.Process.Kill(); err == nil {
			killed++
		}
		c.Wait() // its error is the kill
		must(t, append(build, "-o", out)...)
		if bytesOf(t, out) != want {
			t.Errorf("kill %d: other bytes than an undisturbed build", i)
		}
	}
	if killed < rounds/2 {
		t.Errorf("killed %d of %d builds before they ended, want at least half", killed, rounds)
	}
}

// Faults in the sources are skipped with a line that names the record, and counted.
func TestFaultySources(t *testing.T) {
	w, build := world(t, true)
	out := filepath.Join(t.TempDir(), "out")
	_, errs, code := hdseg(t, append(build, "-o", out)...)
	if code != exitSkips {
		t.Fatalf("got exit %d, want %d\n%s", code, exitSkips, errs)
	}
	for _, f := range w.Planted {
		if f.Kind != demo.TruncatedTar && f.Kind != demo.Duplicate && !strings.Contains(errs, f.Record) {
			t.Errorf("%s: no line names %s:\n%s", f.Kind, f.Record, errs)
		}
	}
	if !strings.Contains(errs, "in_test") {
		t.Errorf("no line says that a training picture is in the test split:\n%s", errs)
	}
	must(t, "check", filepath.Join(out, "horseseg.yaml"))
	for _, f := range w.Planted {
		if f.Kind != demo.TruncatedTar {
			continue
		}
		tar := filepath.Join(filepath.Dir(filepath.Dir(w.VOCDir)), filepath.FromSlash(f.Path))
		if _, err := os.Stat(tar); err != nil {
			t.Fatal(err)
		}
		_, errs, code := hdseg(t, "build", "-c", "horseseg", "--imagenet", tar, "--test", w.TestDir, "-o", filepath.Join(t.TempDir(), "x"))
		if code != exitError || !strings.Contains(errs, filepath.Base(f.Path)) {
			t.Errorf("truncated tar %s: got exit %d and %q, want exit 1 and its name", f.Path, code, errs)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"nonsense"}, {"build"}, {"build", "--nonsense"}, {"check"}, {"version", "-j", "0"}, {"bench"}, {"segment", "x.jpg"}} {
		if _, errs, code := hdseg(t, args...); code != exitUsage || !strings.HasPrefix(errs, "error: ") {
			t.Errorf("hdseg %v: got exit %d and %q, want %d and an error", args, code, errs, exitUsage)
		}
	}
	says(t, exitUsage, "nonsense", "build", "-o", t.TempDir(), "--set", "transfer.nonsense=1")
	if a, b := must(t, "version"), must(t, "--version"); a != b || !strings.HasPrefix(a, "hdseg "+manifests.Version+" (") {
		t.Errorf("version: got %q, --version: got %q", a, b)
	}
	if out := must(t, "build", "--dry-run", "-c", "dogseg"); !strings.Contains(out, "dataset: dogseg") {
		t.Errorf("--dry-run: got %q", out)
	}
}

// The demonstration needs no argument, writes only below its folder, and its model segments a picture. Its world is the small
// one, with HDSEG_LONG=1 its own.
func TestDemoAndSegment(t *testing.T) {
	t.Chdir(t.TempDir())
	w := demo.Defaults()
	if !long {
		t.Setenv("HDSEG_TEST_MAIN", "small")
		w = small
	}
	said := must(t, "demo", "--progress", "none")
	next, ok := strings.CutPrefix(said[max(0, strings.Index(said, "Next:\n")):], "Next:\n")
	if lines := strings.Split(strings.TrimSpace(next), "\n"); !ok || len(lines) != 3 {
		t.Errorf("got %q, want the next three commands", said)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 1 || entries[0].Name() != "hdseg-demo" {
		t.Fatalf("got %v (%v) in the folder, want hdseg-demo alone", entries, err)
	}
	for line := range strings.Lines(next) { // ready to paste
		args := strings.Fields(line)
		at := slices.IndexFunc(args, func(a string) bool { return slices.Contains([]string{"check", "show", "train"}, a) })
		if at < 0 {
			t.Fatalf("the next commands: got %q", line)
		}
		if args[at] == "train" && !long {
			args = append(args, "--preset", "fast")
		}
		must(t, args[at:]...)
	}
	manifest := filepath.Join("hdseg-demo", "dataset", "horseseg.yaml")
	must(t, "train", "-i", manifest, "--preset", "fast", "-o", "horse.model")
	pictures := found(t, filepath.Join("hdseg-demo", "sources", "test", "images", "*.jpg"))
	must(t, "segment", "--model", "horse.model", "-o", "masks", pictures[0])
	if masks, _ := filepath.Glob(filepath.Join("masks", "*.mask.png")); len(masks) != 1 {
		t.Errorf("got masks %v, want one", masks)
	}
	// What cannot be written is no fault of the picture.
	blocked := filepath.Join("blocked", strings.TrimSuffix(filepath.Base(pictures[0]), ".jpg")+".mask.png")
	try(t, os.MkdirAll(filepath.Join(blocked, "x"), 0o777))
	if _, errs, code := hdseg(t, "segment", "--model", "horse.model", "-o", "blocked", pictures[0]); code != exitError {
		t.Errorf("a mask that cannot be written: got exit %d and %q, want %d", code, errs, exitError)
	}
	if out, _, code := hdseg(t, "segment", "--model", "horse.model", "-o", "masks", "--json", "nowhere.jpg", "horse.model"); code != exitError || !strings.Contains(out, `"message": "nowhere.jpg: no such file or folder"`) {
		t.Errorf("a picture that is not there: got exit %d and %s", code, out)
	}
	if _, errs, code := hdseg(t, "evaluate", "-i", manifest, "--model", "horse.model"); code != exitDone || strings.Contains(errs, "category") {
		t.Errorf("evaluate: got exit %d and %q", code, errs)
	}
	// A model of another category is measured, too, and that is said.
	model := new(lscrf.Model)
	err = readBinary("horse.model", "model", model)
	try(t, err)
	model.Class = "dog"
	data, err := model.MarshalBinary()
	if err == nil {
		err = os.WriteFile("dog.model", data, 0o666)
	}
	try(t, err)
	says(t, exitDone, "trained on the category dog and measured on the category horse", "evaluate", "-i", manifest, "--model", "dog.model")
	b := result[benchResult](t, "bench", "-i", manifest, "--tiers", "manual,bbox", "--terms", "pairwise", "--balance", "paper", "--json")
	if len(b.Rows) != 1 || b.Rows[0].Images != w.Manual+w.Boxes || b.Rows[0].PerClassPooled.V < 60 {
		t.Errorf("got rows %+v, want one on %d images that beats chance by far", b.Rows, w.Manual+w.Boxes)
	}
}

// longOnly skips a test that takes seconds of a browser's time, unless there is time.
func longOnly(t *testing.T) {
	t.Helper()
	if !long {
		t.Skip("SKIPPED: takes long; set HDSEG_LONG=1")
	}
}

func TestCommandOf(t *testing.T) {
	for line, want := range map[string]string{
		"build -c a.yaml --folder b -o out -j 2 --json": "hdseg build -c a.yaml --folder b -o OUT",
		"build --out=x --progress none -j4 --set a=-o":  "hdseg build --set a=-o -o OUT",
		"demo --verify-sources --from ingest -oout":     "hdseg demo -o OUT",
	} {
		if got := commandOf(strings.Fields(line)); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}
