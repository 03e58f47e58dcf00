package main

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"gopkg.in/yaml.v3"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/manifests"
)

// A data set that lost or changed a file is not up to date: the same command repairs it.
func TestBuildRepairsFiles(t *testing.T) {
	_, build := world(t, false)
	out := filepath.Dir(drawn(t))
	want := bytesOf(t, out)
	for _, dir := range []string{"images", "masks/manual", "masks/bbox"} {
		var files []string
		err := filepath.WalkDir(filepath.Join(out, filepath.FromSlash(dir)), func(p string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				files = append(files, p)
			}
			return err
		})
		if err != nil || len(files) < 2 {
			t.Fatalf("%s: got %d files (%v)", dir, len(files), err)
		}
		try(t, os.Remove(files[0]))
		data := read(t, files[1])
		try(t, os.WriteFile(files[1], append(data, 0), 0o666))
		must(t, append(build, "-o", out)...)
		if bytesOf(t, out) != want {
			t.Errorf("%s: a lost and a changed file: other bytes after building again", dir)
		}
	}
}

// What a stage left out because a file was damaged comes back when the file is mended: the stage, and all that learned from it,
// runs again without being told.
func TestBuildAfterDamageIsMended(t *testing.T) {
	longOnly(t)
	w, _ := world(t, false)
	e, err := configs.Load("horseseg", "bench.samples=50")
	try(t, err)
	build := func(out string, ended func(pipeline.StageReport)) (skips int, ran []string) {
		t.Helper()
		got, err := pipeline.Build(t.Context(), pipeline.Request{Experiment: e, Out: out, Workers: 2, Ended: ended, Warn: func(string) {},
			Progress: func(string) func(int, int) { return func(int, int) {} },
			Sources:  ingest.Request{VOC: []string{w.VOCDir}, ImageNet: []string{w.ImageNetTar}, Boxes: []string{w.BoxesTar}, Test: w.TestDir}})
		try(t, err)
		for _, s := range got.Stages {
			skips += len(s.Skips)
			if !s.UpToDate {
				ran = append(ran, s.Name)
			}
		}
		return skips, ran
	}
	clean := filepath.Join(t.TempDir(), "clean")
	build(clean, func(pipeline.StageReport) {})
	want := bytesOf(t, clean)
	for _, c := range []struct {
		after string
		split manifests.Split
		tier  manifests.Tier
		image bool
	}{
		{"split", manifests.Train, manifests.Manual, false},
		{"split", manifests.Train, manifests.BBox, true},
		{"transfer", manifests.Train, manifests.Manual, false},
		{"transfer", manifests.Train, manifests.Manual, true},
		{"train", manifests.Test, manifests.Manual, false},
	} {
		out := filepath.Join(t.TempDir(), "out")
		file, kept := "", []byte(nil)
		skips, _ := build(out, func(s pipeline.StageReport) {
			if s.Name != c.after {
				return
			}
			_, m, _, err := manifests.ReadFile(filepath.Join(out, "stages", "split.yaml"))
			try(t, err)
			at := slices.IndexFunc(m.Records, func(r manifests.Record) bool { return r.Split == c.split && r.Tier == c.tier })
			if file = m.Records[at].Image.Path; !c.image {
				file = m.Records[at].Masks[0].Path
			}
			file = filepath.Join(out, filepath.FromSlash(file))
			if kept, err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
			flip(file)
		})
		if skips == 0 {
			t.Fatalf("%+v: the damaged file was not skipped", c)
		}
		try(t, os.WriteFile(file, kept, 0o666))
		skips, ran := build(out, func(pipeline.StageReport) {})
		must(t, "check", filepath.Join(out, "horseseg.yaml"), "--prune", "--yes") // masks that other sources voted for
		if skips > 0 || bytesOf(t, out) != want {
			t.Errorf("%+v: %d skips after it was mended, stages that ran: %v; other bytes than a clean build", c, skips, ran)
		}
		if _, ran := build(out, func(pipeline.StageReport) {}); len(ran) > 0 {
			t.Errorf("%+v: stages that run a third time: %v", c, ran)
		}
	}
}

// Every command that learns stops at a damaged mask, also where its features are not made yet, and goes on once it is mended.
func TestFeaturesAfterDamageIsMended(t *testing.T) {
	manifest := drawn(t)
	_, m, _, err := manifests.ReadFile(manifest)
	try(t, err)
	args := []string{"features", manifest, "--set", "superpixel.count=60", "--json"}
	file := filepath.Join(filepath.Dir(manifest), filepath.FromSlash(first(m, manifests.Train, manifests.Manual).Masks[0].Path))
	kept := read(t, file)
	flip(file)
	to := t.TempDir()
	for _, line := range [][]string{args, {"train", manifest, "--preset", "fast", "-o", filepath.Join(to, "m")},
		{"train", manifest, "--shard", "0/1", "--preset", "paper", "-o", filepath.Join(to, "s")}, {"bench", manifest, "--preset", "fast"},
		{"export", manifest, "--format", "hdseg", "--features", "-o", filepath.Join(to, "tree")}} {
		says(t, exitError, filepath.Base(file), line...)
	}
	try(t, os.WriteFile(file, kept, 0o666))
	var got featuresResult
	if err := json.Unmarshal([]byte(must(t, args...)), &got); err != nil || got.Done != len(m.Records) {
		t.Errorf("mended: features of %d pictures of %d, %v", got.Done, len(m.Records), err)
	}
}

// Trying other settings leaves the build's features alone.
func TestBenchLeavesBuildAlone(t *testing.T) {
	_, build := world(t, false)
	out := filepath.Dir(drawn(t))
	manifest := filepath.Join(out, "horseseg.yaml")
	must(t, "bench", "-i", manifest, "--set", "superpixel.count=100", "--terms", "unary", "--balance", "paper")
	again := result[buildResult](t, append(build, "-o", out, "--json")...)
	for _, s := range again.Stages {
		if !s.UpToDate {
			t.Errorf("stage %s ran again after a bench with other settings", s.Name)
		}
	}
}

// A folder holds one data set.
func TestBuildRefusesFolder(t *testing.T) {
	_, build := world(t, false)
	out := filepath.Dir(drawn(t))
	dog := append([]string{}, build...)
	dog[2] = "dogseg"
	says(t, exitError, "holds the data set horseseg", append(dog, "-o", out)...)
	must(t, "check", filepath.Join(out, "horseseg.yaml"))
	foreign := t.TempDir()
	if err := os.Mkdir(filepath.Join(foreign, "stages"), 0o777); err != nil { // else it is no data set
		t.Fatal(err)
	}
	file := filepath.Join(foreign, "horseseg.yaml")
	try(t, os.WriteFile(file, []byte("notes: mine\n"), 0o666))
	says(t, exitError, "not a manifest of this build", append(build, "-o", foreign)...)
	if data, _ := os.ReadFile(file); string(data) != "notes: mine\n" {
		t.Errorf("the foreign file was overwritten: %q", data)
	}
}

// Sources that give nothing are said, with a remedy, on every run.
func TestBuildNotices(t *testing.T) {
	w, _ := world(t, false)
	args := func(more ...string) []string {
		return append([]string{"build", "-c", "horseseg", "--set", "bench.samples=50", "--test", w.TestDir}, more...)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"archive of another class": {args("--voc", w.VOCDir, "--imagenet", w.ImageNetTar, "--set", "class.synsets=[n02084071]"), "holds nothing of class horse"},
		"boxes without pictures":   {args("--voc", w.VOCDir, "--imagenet", w.ImageNetTar, "--boxes", w.BoxesTar, "--set", "class.synsets=[n02084071]"), "BOXES holds nothing of class"},
		"no masks to learn from":   {args("--imagenet", w.ImageNetTar, "--boxes", w.BoxesTar), "no training record has a manual mask"},
		"no training records":      {args(), "no training record"},
		"wrong class index":        {args("--voc", w.VOCDir, "--imagenet", w.ImageNetTar, "--set", "class.voc=19"), "is class.voc right?"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		for range 2 { // the second is up to date
			_, errs, code := hdseg(t, append(c.args, "-o", out)...)
			if (code != exitDone && code != exitSkips) || !strings.Contains(errs, "warning: ") || !strings.Contains(errs, strings.Replace(c.want, "BOXES", filepath.Base(w.BoxesTar), 1)) {
				t.Errorf("%s: got exit %d and %q, want a warning with %q", name, code, errs, c.want)
			}
		}
	}
	says(t, exitUsage, "--imagenet", args("--voc", w.VOCDir, "--boxes", w.BoxesTar, "-o", t.TempDir())...)
}

// A class of one's own goes through build from nothing but a folder of pictures and masks, by the commands that init prints:
// a share is held out, and a second build has nothing to do. Every source of ingest is one of build too.
func TestOwnClass(t *testing.T) {
	w, _ := world(t, false)
	dir := t.TempDir()
	t.Chdir(dir)
	try(t, os.CopyFS("zebra", os.DirFS(w.TestDir)))
	made := result[initResult](t, "init", "zebra", "--json")
	before, err := os.ReadFile("zebra.yaml")
	if err != nil || made.Config != "zebra.yaml" || made.Build != "hdseg build -c zebra.yaml --folder zebra -o zebra-dataset" {
		t.Fatalf("got %+v, %v", made, err)
	}
	says(t, exitError, "zebra.yaml: is there already: it is not overwritten", "init", "zebra")
	if after, _ := os.ReadFile("zebra.yaml"); string(after) != string(before) {
		t.Error("init wrote over a config")
	}
	build := append(strings.Fields(made.Build)[1:], "--set", "bench.samples=50", "--json")
	count := func(args ...string) (b buildResult, test, train int) {
		t.Helper()
		try(t, json.Unmarshal([]byte(must(t, args...)), &b))
		s := result[statsResult](t, "stats", b.Manifest, "--json")
		for _, r := range s.Records {
			if r.Split == "test" {
				test += r.Images
			} else {
				train += r.Images
			}
		}
		return b, test, train
	}
	pictures, err := os.ReadDir("zebra/images")
	try(t, err)
	n := len(pictures)
	share := (n + 2) / 5 // a fifth, rounded
	b, test, train := count(build...)
	if test != share || train != n-share || !b.Rows[0].PerClassPooled.OK || b.Rows[0].Images != train {
		t.Errorf("of %d pictures %d are test and %d training, row %+v", n, test, train, b.Rows[0])
	}
	if said := strings.Join(b.Warnings, "\n"); !strings.Contains(said, "were held out to measure on") {
		t.Errorf("got warnings %q", said)
	}
	b, _, _ = count(build...)
	for _, s := range b.Stages {
		if !s.UpToDate {
			t.Errorf("stage %s ran again", s.Name)
		}
	}
	if b, test, train = count(append(build, "--test-share", "0")...); test != 0 || train != n || !strings.Contains(strings.Join(b.Warnings, "\n"), "--test-share 0.2") {
		t.Errorf("--test-share 0: got %d test and %d training records, warnings %q", test, train, b.Warnings)
	}
	// another source is another key
	try(t, os.MkdirAll("more/images", 0o777))
	try(t, os.Rename("zebra/images/"+pictures[0].Name(), "more/images/other.jpg"))
	try(t, os.RemoveAll("zebra/masks/"+strings.TrimSuffix(pictures[0].Name(), filepath.Ext(pictures[0].Name()))+".png"))
	if b, test, train = count(append(build, "--folder", "more")...); b.Stages[0].UpToDate || test+train != n {
		t.Errorf("another folder: got %+v, %d test and %d training records, want %d", b.Stages[0], test, train, n)
	}
	cmd := (&app{}).rootCommand()
	flags := func(name string) (out []string) {
		c, _, err := cmd.Find([]string{name})
		try(t, err)
		c.Flags().VisitAll(func(f *pflag.Flag) { out = append(out, f.Name) })
		return out
	}
	of := flags("build")
	for _, f := range flags("ingest") {
		if !slices.Contains(of, f) {
			t.Errorf("build has no --%s", f)
		}
	}
}

// Mistakes in sources are found before work: nothing is left behind.
func TestSourcesAreCheckedFirst(t *testing.T) {
	w, _ := world(t, false)
	empty := t.TempDir()
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"missing":         {[]string{"--voc", w.VOCDir, "--folder", "nowhere"}, exitError, "--folder nowhere: no such file or folder"},
		"missing test":    {[]string{"--voc", w.VOCDir, "--test", "nowhere"}, exitError, "--test nowhere: no such file or folder"},
		"coco":            {[]string{"--coco", "a.json"}, exitUsage, "--coco a.json: want FILE.json=FOLDER"},
		"no class":        {[]string{"-c", "stanford", "--voc", w.VOCDir}, exitUsage, "-c stanford names no class"},
		"no such synset":  {[]string{"--imagenet", w.ImageNetTar, "--exclude", "n00000001"}, exitUsage, "n00000001"},
		"share":           {[]string{"--voc", w.VOCDir, "--test-share", "2"}, exitUsage, "--test-share 2: want a share"},
		"skips":           {[]string{"--voc", w.VOCDir, "--max-skip", "1"}, exitUsage, "--max-skip 1: want a share"},
		"wrong folder":    {[]string{"--voc", empty}, exitError, "want a VOC devkit, with JPEGImages and SegmentationClass beside ImageSets; the folder is empty"},
		"nothing usable":  {[]string{"--stanford", w.TestDir}, exitError, "the sources give no picture of class horse"},
		"no source named": {nil, exitUsage, "want at least one of --folder"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		_, errs, code := hdseg(t, append([]string{"build", "-o", out}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Contains(errs, "ingest: ingest") {
			t.Errorf("%s: exit %d, want %d with %q in\n%s", name, code, c.code, c.want, errs)
		}
	}
}

// flipInPlace changes a byte of a file, and not its size or time.
func flipInPlace(t *testing.T, file string) {
	t.Helper()
	st, err := os.Stat(file)
	try(t, err)
	data := read(t, file)
	data[len(data)/2] ^= 1
	try(t, os.WriteFile(file, data, 0o666), os.Chtimes(file, st.ModTime(), st.ModTime()))
}

// Changes that leave size and time as they were are seen: in a source, in a picture, a mask or the
// features of the data set, by build and by train, which takes the features from its cache.
func TestChangesOfEqualSizeAndTime(t *testing.T) {
	longOnly(t)
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("only size and time are known of files on " + runtime.GOOS)
	}
	w, build := world(t, false)
	src := filepath.Join(t.TempDir(), "test") // of the test's own
	try(t, os.CopyFS(src, os.DirFS(w.TestDir)))
	build[slices.Index(build, "--test")+1] = src
	build = append(build, "-o", filepath.Join(t.TempDir(), "out"))
	out := build[len(build)-1]
	must(t, build...)
	want := bytesOf(t, out)
	masks := found(t, filepath.Join(out, "masks", "bbox", "*.png"))
	manifest, model := filepath.Join(out, "horseseg.yaml"), filepath.Join(t.TempDir(), "m.model")
	train := []string{"train", manifest, "--preset", "paper", "-o", model}
	must(t, train...)
	flipInPlace(t, masks[0])
	name := "masks/bbox/" + filepath.Base(masks[0])
	says(t, exitError, "pictures or masks that are missing or changed: 1 ("+name+"): run hdseg check with the same manifest", train...)
	says(t, exitDone, name+"): transfer runs again", build...)
	if bytesOf(t, out) != want {
		t.Error("a changed mask was not made again")
	}
	must(t, train...)
	features := filepath.Join(out, "features", "0000.arrow")
	flipInPlace(t, features)
	if _, errs, code := hdseg(t, build...); code != exitDone || !strings.Contains(errs, "features/0000.arrow): features runs again") || bytesOf(t, out) != want {
		t.Errorf("build on changed features: exit %d, or other bytes: %s", code, errs)
	}
	pictures := found(t, filepath.Join(src, "images", "*"))
	if said := must(t, append(build, "--verify-sources")...); !strings.Contains(said, "source files read: ") || !strings.Contains(said, ", all as the last build recorded them\n") {
		t.Errorf("--verify-sources of what is as it was: %s", said)
	}
	// only touched
	now := time.Now()
	try(t, os.Chmod(pictures[0], 0o600), os.Chtimes(pictures[0], now, now))
	if _, errs, _ := hdseg(t, build...); strings.Contains(errs, "changed") || bytesOf(t, out) != want {
		t.Errorf("a source that was only touched: %s", errs)
	}
	flipInPlace(t, pictures[0])
	said, errs, _ := hdseg(t, append(build, "--verify-sources")...)
	if !strings.Contains(said, ", since the last build: 1 changed (") {
		t.Errorf("--verify-sources of a changed source: %s", said)
	}
	if line := "1 changed (test/images/" + filepath.Base(pictures[0]) + "): ingest runs again"; !strings.Contains(errs, line) || bytesOf(t, out) == want {
		t.Errorf("a changed source: got %s, want %s", errs, line)
	}
}

// The report names the command that made it, ready to be run again. Where it goes does not matter to
// the result, so that equal builds have equal reports; the run record has all of it.
func TestReportNamesItsCommand(t *testing.T) {
	in := drawn(t)
	var record struct{ Command string }
	if err := yaml.Unmarshal(read(t, strings.TrimSuffix(in, ".yaml")+".run.yaml"), &record); err != nil || record.Command == "" {
		t.Fatalf("the run record has no command: %v", err)
	}
	page := html.UnescapeString(string(read(t, filepath.Join(filepath.Dir(in), "report", "index.html"))))
	command, _, _ := strings.Cut(strings.Replace(record.Command, " --progress none", "", 1), " -o ")
	if !strings.Contains(page, `<dt>command</dt><dd class="command">`+command+" -o OUT</dd>") {
		t.Errorf("the report does not name %q", command)
	}
}
