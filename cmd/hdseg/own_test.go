package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hdseg/cmd/internal/demo"
	"hdseg/lscrf"
	"hdseg/manifests"
)

// ownFolder draws a folder of a class of one's own, 9 pictures with masks, into the working folder, with the config that init writes
// for it, and takes the masks of the first n pictures away.
func ownFolder(t *testing.T, name string, n int) {
	t.Helper()
	o := small
	o.Manual, o.Boxes, o.Labels, o.Tests = 1, 1, 1, 9
	w, err := demo.Draw(t.TempDir(), o, func(int, int) {})
	try(t, err)
	try(t, os.CopyFS(name, os.DirFS(w.TestDir)))
	masks, err := filepath.Glob(filepath.Join(name, "masks", "*"))
	if err != nil || len(masks) != 9 {
		t.Fatalf("drew %d masks (%v), want 9", len(masks), err)
	}
	for _, m := range masks[:n] {
		try(t, os.Remove(m))
	}
	if _, err := os.Stat(name + ".yaml"); err != nil {
		must(t, "init", name)
	}
}

// The table of a data set has the mixes of the tiers that it has, and no line about others; a mix that was chosen and has no row is
// said in one line.
func TestTableHasTheTiersOfTheDataSet(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		maskless int
		want     string // mixes of the rows and their images; a fifth of the pictures with masks is the test split
	}{
		"labels": {4, "manual 4, manual,label 8, label 4"},
		"manual": {0, "manual 7"},
	} {
		ownFolder(t, name, c.maskless)
		var b buildResult
		args := []string{"build", "-c", name + ".yaml", "--folder", name, "-o", name + "-out", "--set", "bench.samples=50", "--set", "bench.balances=[paper]", "--set", "bench.terms=[unary]"}
		try(t, json.Unmarshal([]byte(must(t, append(args, "--json")...)), &b))
		var got []string
		for _, r := range b.Rows {
			got = append(got, lscrf.Mix(r.Tiers).Key()+" "+string(rune('0'+r.Images)))
		}
		if rows := strings.Join(got, ", "); rows != c.want {
			t.Errorf("%s: got the rows %s, want %s", name, rows, c.want)
		}
		if said := must(t, args...); strings.Contains(said, "no row for") {
			t.Errorf("%s: got\n%s", name, said)
		}
		said := must(t, "bench", b.Manifest, "--tiers", "manual;manual,bbox;bbox", "--terms", "unary", "--balance", "paper")
		if line := name + ": no row for manual + bbox; bbox: each tier of a mix needs training images with masks"; !strings.Contains(said, line) || strings.Count(said, "no row") != 1 {
			t.Errorf("%s: got\n%s\nwant one line with %q", name, said, line)
		}
	}
}

// A command that fails leaves no empty folder where there was none, and no folder of others goes.
func TestFailureLeavesNoEmptyFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	ownFolder(t, "pets", 0)
	try(t, os.MkdirAll("none/images", 0o777), os.Mkdir("mine", 0o777))
	model := filepath.Join(filepath.Dir(drawn(t)), "models", "paper", "manual-linear-pairwise.model")
	for _, c := range []struct{ args, out, left string }{
		{"build -c pets.yaml --folder none", "new/deep", ""},
		{"ingest -c pets.yaml --folder none", "new", ""},
		{"build -c pets.yaml --folder none", "mine", "mine"},
		{"evaluate --test none --model " + model, "new", ""},
	} {
		says(t, exitError, "got no pictures", append(strings.Fields(c.args), "-o", c.out)...)
		top, _, _ := strings.Cut(c.out, "/")
		_, err := os.Stat(top)
		if there := err == nil; there != (c.left != "") {
			t.Errorf("%s -o %s: the folder is there: %v", c.args, c.out, there)
		}
	}
}

// What was read is what was done and skipped, or the line says what else it counts; a list that is cut names the file that has all.
func TestCountsAddUp(t *testing.T) {
	for _, c := range []struct {
		read, done int
		skipped    map[string]int
		want       string
	}{
		{3, 3, nil, "read 3, done 3, skipped 0"},
		{3, 1, map[string]int{"corrupt_image": 2}, "read 3, done 1, skipped 2 (2 corrupt_image)"},
		{20, 19, map[string]int{"mask_without_image": 20, "corrupt_image": 1}, "read 20, done 19, left out 1; 21 skips of pictures, masks or boxes (1 corrupt_image, 20 mask_without_image)"},
		{9, 4, nil, "read 9, done 4, left out 5"}, // of another class
		{1, 2, nil, "read 1, done 2"},             // two objects of a picture
	} {
		if got := counts(c.read, c.done, c.skipped); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	for _, args := range []string{"version", "init rat"} {
		t.Chdir(t.TempDir())
		if _, errs, _ := hdseg(t, strings.Fields(args)...); errs != "" {
			t.Errorf("%s: got %q on stderr, want nothing", args, errs)
		}
	}
	ownFolder(t, "pets", 0)
	for i := range 23 { // masks without a picture
		try(t, os.WriteFile(fmt.Sprintf("pets/masks/x%02d.png", i), nil, 0o666))
	}
	model := filepath.Join(filepath.Dir(drawn(t)), "models", "paper", "manual-linear-pairwise.model")
	run := func(want string, args ...string) {
		t.Helper()
		_, errs, code := hdseg(t, args...)
		if code != exitSkips || strings.Count(errs, "skipped: ") != 20 || !strings.Contains(errs, "... and 3 more; "+want+" lists all\n") ||
			!strings.Contains(errs, args[0]+": read 9, done 9; 23 skips of pictures, masks or boxes (23 mask_without_image), ") {
			t.Errorf("%s: got exit %d and\n%s", args[0], code, errs)
		}
		if data, err := os.ReadFile(want); err != nil && !strings.HasPrefix(want, "with -o") || err == nil && strings.Count(string(data), "\n") != 1+23 {
			t.Errorf("%s: got %d lines, %v, want 24", want, strings.Count(string(data), "\n"), err)
		}
	}
	run("with -o, skipped.csv", "evaluate", "--model", model, "--test", "pets")
	run(filepath.Join("errors", "skipped.csv"), "evaluate", "--model", model, "--test", "pets", "-o", "errors")
	run(filepath.Join("out", "stages", "ingest.skipped.csv"), "build", "-c", "pets.yaml", "--folder", "pets", "-o", "out", "--set", "bench.samples=50")
	run(filepath.Join("out", "stages", "ingest.skipped.csv"), "ingest", "-c", "pets.yaml", "--folder", "pets", "-o", "out")
	var b benchResult
	if err := json.Unmarshal([]byte(must(t, "bench", "out/pets.yaml", "--terms", "unary", "--balance", "paper", "--json")), &b); err != nil || b.Read != 2 || b.Done != 2 {
		t.Errorf("bench: read %d, done %d, want the 2 test pictures: %v", b.Read, b.Done, err)
	}
	var tr trainResult
	if err := json.Unmarshal([]byte(must(t, "train", "out/pets.yaml", "--model", "linear", "-o", "x.model", "--json")), &tr); err != nil || tr.Read != 7 || tr.Done != 7 {
		t.Errorf("train: read %d, done %d, want the 7 training pictures: %v", tr.Read, tr.Done, err)
	}
}

// The commands that build ends with do what they say: with its settings, and with the tiers that the data set has. Without a mask to
// learn from there is none to train, and the exit code is 3.
func TestNextCommandsWork(t *testing.T) {
	t.Chdir(t.TempDir())
	ownFolder(t, "pets", 0)
	for _, dir := range []string{"boxed", "bare"} {
		try(t, os.CopyFS(filepath.Join(dir, "images"), os.DirFS("pets/images")))
	}
	rows := "image,xmin,ymin,xmax,ymax\n"
	files, err := os.ReadDir("boxed/images")
	try(t, err)
	for _, f := range files {
		rows += f.Name() + ",5,5,70,50\n"
	}
	try(t, os.WriteFile("boxed/boxes.csv", []byte(rows), 0o666))
	const none = "no training image has a mask that a model could learn from"
	for name, c := range map[string]struct {
		args  []string
		code  int
		train string // of the last command
	}{
		"settings": {[]string{"--folder", "pets", "--preset", "fast", "--set", "superpixel.count=90", "--set", "ingest.maxSkip=0.5", "--set", "train.trees.trees=5"}, exitDone,
			"train settings/pets.yaml -o pets.model -c pets.yaml --preset fast --set superpixel.count=90 --set train.trees.trees=5"},
		"network": {[]string{"--folder", "pets", "--set", "bench.models=[linear]"}, exitDone,
			"train network/pets.yaml -o pets.model -c pets.yaml --set 'bench.models=[linear]'"},
		"cannot be best": {[]string{"--folder", "pets", "--dense", "none", "--set", "bench.models=[linear]"}, exitDone,
			"train 'cannot be best/pets.yaml' -o pets.model -c pets.yaml --preset paper --dense none --set 'bench.models=[linear]'"},
		"two models": {[]string{"--folder", "pets", "--set", "bench.models=[linear,trees]", "--set", "train.trees.trees=5"}, exitDone,
			"train 'two models/pets.yaml' -o pets.model -c pets.yaml --set 'bench.models=[linear,trees]' --set train.trees.trees=5"},
		"boxes":      {[]string{"--folder", "boxed", "--set", "train.trees.trees=5"}, exitDone, "train boxes/pets.yaml -o pets.model --tiers bbox -c pets.yaml --set train.trees.trees=5"},
		"labels":     {[]string{"--folder", "bare"}, exitSkips, ""},
		"test alone": {[]string{"--test", "pets"}, exitSkips, ""},
	} {
		out, errs, code := hdseg(t, append([]string{"build", "-c", "pets.yaml", "--set", "bench.samples=50", "-o", name, "--json"}, c.args...)...)
		var b buildResult
		if err := json.Unmarshal([]byte(out), &b); code != c.code || err != nil {
			t.Fatalf("%s: got exit %d, want %d: %v\n%s", name, code, c.code, err, errs)
		}
		last := b.Next[len(b.Next)-1]
		if warned := strings.Contains(strings.Join(b.Warnings, "\n"), none); warned != (c.train == "") || strings.Contains(last, " train ") == warned {
			t.Errorf("%s: warned %v, and the last command is %s", name, warned, last)
		}
		if c.train != "" && !strings.HasSuffix(last, " "+c.train) {
			t.Errorf("%s: got %s, want %s", name, last, c.train)
		}
		for _, line := range b.Next {
			args := argsOf(line)
			said := must(t, args...)
			if args[0] == "train" && name == "settings" && !strings.Contains(said, "settings: preset fast, config pets.yaml, superpixel.count=90, train.trees.trees=5\n") {
				t.Errorf("train does not say its settings: %s", said)
			}
		}
	}
	_, errs, _ := hdseg(t, "train", "settings/pets.yaml", "--preset", "paper", "-o", "other.model")
	if want := "built with other settings: superpixel.count=90 (here 350); to train with them"; !strings.Contains(errs, want) {
		t.Errorf("train without -c: got %s, want %s", errs, want)
	}
}

// A second build, with new pictures in the folder, makes their masks with what the first has learned from the same masks.
func TestBuildKeepsWhatTransferLearned(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HDSEG_TEST_MAIN", "small") // it tells every phase
	ownFolder(t, "pets", 2)
	build := func() (learned int, cpu time.Duration) {
		t.Helper()
		c := command("build", "-c", "pets.yaml", "--folder", "pets", "-o", "out", "--set", "bench.samples=50", "--progress", "text")
		errs, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, errs)
		}
		return strings.Count(string(errs), "reading masks to learn from"), c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	learned, before := build()
	if learned == 0 {
		t.Error("the first build did not learn")
	}
	o := small
	o.Seed, o.Manual, o.Boxes, o.Labels, o.Tests = 4, 1, 1, 1, 3
	w, err := demo.Draw(t.TempDir(), o, func(int, int) {})
	try(t, err)
	list, err := filepath.Glob(filepath.Join(w.TestDir, "images", "*"))
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	for _, f := range list {
		data, err := os.ReadFile(f)
		if err != nil || os.WriteFile(filepath.Join("pets", "images", "new-"+filepath.Base(f)), data, 0o666) != nil {
			t.Fatal(err)
		}
	}
	learned, after := build()
	if learned > 0 {
		t.Error("the second build learned again")
	}
	t.Logf("processor time of builds: %v, then %v", before, after)
	_, m, _, err := manifests.ReadFile("out/pets.yaml")
	try(t, err)
	if n := len(slices.DeleteFunc(m.Records, func(r manifests.Record) bool { return r.Tier != manifests.Label || len(r.Masks) != 1 })); n != 5 {
		t.Errorf("%d pictures have a mask of the tier label, want 5", n)
	}
	must(t, "check", "out/pets.yaml")
}

// argsOf returns the arguments of a command that a build says to go on with, as a shell takes them.
func argsOf(line string) (args []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args[slices.IndexFunc(args, func(a string) bool { return slices.Contains([]string{"check", "show", "stats", "train"}, a) }):]
}
