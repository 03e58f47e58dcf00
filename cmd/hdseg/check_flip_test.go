package main

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// filesOf lists the files of a data set, without run records, the report and .work.
func filesOf(t *testing.T, dir string) (files []string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(filesIn(t, dir, "*.run.yaml", ".work", ".tmp", "report"))) {
		files = append(files, filepath.Join(dir, filepath.FromSlash(name)))
	}
	if len(files) < 30 {
		t.Fatalf("got %d files", len(files))
	}
	return files
}

// Every flipped bit of a finished data set is named by check, which also says what mends it: each by
// itself, in 40 files (with HDSEG_LONG=1 in 300). The build that check names makes all as it was.
func TestFlippedBits(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	_, build := world(t, false)
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	want := bytesOf(t, dir)
	files := filesOf(t, dir)
	// first one of every kind of file, then any
	kinds := map[string]bool{}
	var order []string
	for _, f := range files {
		rel, _ := filepath.Rel(dir, f)
		if kind := filepath.Dir(rel) + filepath.Ext(f); !kinds[kind] {
			kinds[kind] = true
			order = append(order, f)
		}
	}
	n := 40
	if long {
		n = 300
	}
	for len(order) < n {
		order = append(order, files[rng.IntN(len(files))])
	}
	for _, file := range order {
		was := read(t, file)
		data := slices.Clone(was)
		at, bit := rng.IntN(len(data)), rng.IntN(8)
		data[at] ^= 1 << bit
		try(t, os.WriteFile(file, data, 0o666))
		out, errs, code := hdseg(t, "check", manifest)
		if code != exitError {
			t.Errorf("%s: bit %d of byte %d: check ends with exit %d: %s%s", file, bit, at, code, out, errs)
		}
		if !strings.Contains(out+errs, "to mend this: ") && !strings.Contains(errs, "hint:") {
			t.Errorf("%s: bit %d of byte %d: no remedy: %s%s", file, bit, at, out, errs)
		}
		try(t, os.WriteFile(file, was, 0o666))
	}
	// many at once are mended by the build
	for _, file := range order[:len(kinds)] {
		flip(file)
	}
	_, errs, code := hdseg(t, append(build, "-o", dir)...)
	if code != exitDone || bytesOf(t, dir) != want {
		t.Errorf("building again after %d flips: exit %d, or other bytes: %s", len(kinds), code, errs)
	}
	if !strings.Contains(errs, ".expert: was not what transfer wrote, and was learned again\n") {
		t.Errorf("the build does not say that an expert was damaged: %s", errs)
	}
	must(t, "check", manifest)
}

// What check says mends a fault does, pasted into a shell in another folder: of a build with relative paths, and of the demo.
func TestRemediesRun(t *testing.T) {
	longOnly(t)
	bin := t.TempDir()
	try(t, os.WriteFile(filepath.Join(bin, "hdseg"), []byte("#!/bin/sh\nHDSEG_TEST_MAIN=small exec '"+program+"' \"$@\"\n"), 0o777))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Chdir(t.TempDir())
	shell := func(line string) {
		t.Helper()
		if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	shell("mkdir -p \"it's here/sub\" away")
	t.Chdir("it's here")
	ownFolder(t, "pets", 0)
	shell("hdseg build -c pets.yaml --folder pets --set bench.samples=50 --json -o 'my pets'; hdseg demo")
	tried := 0
	for _, from := range []string{"sub", "../../away", "../it's here"} {
		t.Chdir(from)
		for _, manifest := range []string{"../it's here/my pets/pets.yaml", "../it's here/hdseg-demo/dataset/horseseg.yaml"} {
			for _, kind := range []string{"pets.yaml", "horseseg.yaml", "*.d/0*", "images/*/*", "masks/*/*/*", "models/*/*", "models/*", "features/*", "features/*/*", ".work/features/*", "experts/*", "SHA256SUMS", "stages/*.yaml"} {
				files, err := filepath.Glob(filepath.Join(filepath.Dir(manifest), kind))
				try(t, err)
				files = slices.DeleteFunc(files, func(f string) bool {
					st, err := os.Stat(f)
					return err != nil || st.IsDir()
				})
				if len(files) == 0 {
					continue
				}
				tried++
				flip(files[0])
				out, errs, code := hdseg(t, "check", manifest)
				ran := 0
				for line := range strings.Lines(out) {
					if line, ok := strings.CutPrefix(line, "to mend this: run again: "); ok {
						shell(line)
						ran++
					}
				}
				if ran == 0 || code != exitError {
					t.Errorf("%s in %s: exit %d, nothing to run: %s%s", kind, manifest, code, out, errs)
				}
				if out, errs, code := hdseg(t, "check", manifest); code != exitDone {
					t.Errorf("%s in %s, after what check named: exit %d: %s%s", kind, manifest, code, out, errs)
				}
			}
		}
	}
	if tried < 34 {
		t.Errorf("tried %d faults, want 34 or more", tried)
	}
	// what was made from a data set is made again as the line says
	set := "my pets"
	by := "hdseg annotate import 'my pets/pets.yaml' --masks pets/masks --by Ann --at 2026-03-04T05:06:07Z --accept-unchanged -o 'my pets/reviewed.yaml'"
	shell(by)
	for _, kind := range []string{"reviewed.yaml", "reviewed.d/0*"} {
		files := found(t, filepath.Join(set, kind))
		for _, manifest := range []string{"my pets/reviewed.yaml", "my pets/pets.yaml"} {
			flip(files[0])
			out, _, _ := hdseg(t, "check", manifest)
			_, rest, ok := strings.Cut(out, "or remove both (")
			remove, _, _ := strings.Cut(rest, ") and write them again: hdseg annotate apply or")
			if !ok || strings.Contains(out, "run again: ") {
				t.Fatalf("%s in %s: %s", kind, manifest, out)
			}
			shell(remove)
			shell(by)
			must(t, "check", manifest)
			must(t, "check", "my pets/pets.yaml")
		}
	}
}

// Where the folder of the first build is gone, the remedy says that its paths led from there, and names the data set as it can be found
// from anywhere; that of a demo needs no folder.
func TestRemedyWithoutFolder(t *testing.T) {
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	gone := filepath.Join(t.TempDir(), "gone")
	record := filepath.Join(dir, "horseseg.run.yaml")
	text := regexp.MustCompile(`(?m)^folder: .*$`).ReplaceAllLiteralString(string(read(t, record)), "folder: "+gone)
	try(t, os.WriteFile(record, []byte(text), 0o666))
	flip(filepath.Join(dir, "features", "0000.arrow"))
	t.Chdir(t.TempDir())
	out, _, code := hdseg(t, "check", manifest)
	want := "to mend this: run: rm -r " + filepath.Join(dir, "features") + "; then run this in a folder from which its paths lead to the sources (" +
		gone + ", where it ran first, is gone), or with their new paths: hdseg build "
	if code != exitError || !strings.Contains(out, want) || !strings.Contains(out, " -o "+dir) || strings.Contains(out, "run again: ") {
		t.Errorf("exit %d, %s, want %s", code, out, want)
	}
	// of experts, the damaged one goes
	expert := one(t, filepath.Join(dir, "experts", "bbox.*"))
	flip(expert)
	if out, _, _ := hdseg(t, "check", manifest); !strings.Contains(out, "to mend this: run: rm "+expert+"; then run this in a folder") {
		t.Errorf("%s, want the removal of %s alone", out, expert)
	}
	if got, want := rebuild("hdseg demo -o d", gone, filepath.Join(dir, "dataset")), "hdseg demo -o "+dir; got != want {
		t.Errorf("demo: got %s, want %s", got, want)
	}
}

// check --prune removes what no manifest names, and no mask of a campaign.
func TestCheckPrune(t *testing.T) {
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	want := bytesOf(t, dir)
	s, m, _, err := manifests.ReadFile(manifest)
	try(t, err)
	left, _, err := s.Put("masks/bbox", "left", "png", []byte("of a run with other settings"))
	try(t, err)
	if _, errs, code := hdseg(t, "check", manifest, "--prune"); code != exitUsage || !strings.Contains(errs, "1 file, such as "+left) || !strings.Contains(errs, "--yes") {
		t.Errorf("without a terminal: exit %d, %s", code, errs)
	}
	out := must(t, "check", manifest, "--prune", "--yes")
	if _, err := os.Stat(filepath.Join(dir, left)); !strings.Contains(out, "removed 1 file\n") || !errors.Is(err, fs.ErrNotExist) || bytesOf(t, dir) != want {
		t.Errorf("--prune: %s, %v, or other files are gone", out, err)
	}
	// what an earlier build named, and the parts of a manifest whose lines the list lacks
	reviewed := filepath.Join(dir, "reviewed.yaml")
	masks := filepath.Join(t.TempDir(), "masks")
	must(t, "annotate", "export", manifest, "--format", "png", "--to", masks)
	own := filepath.Join(masks, "masks", first(m, manifests.Train, manifests.Manual).ID+".png") // else no mask is reviewed.yaml's alone
	px, err := png.Decode(bytes.NewReader(read(t, own)))
	try(t, err)
	var text bytes.Buffer
	px.(*image.Gray).Pix[0] ^= 255
	try(t, png.Encode(&text, px), os.WriteFile(own, text.Bytes(), 0o666))
	must(t, "annotate", "import", manifest, "--masks", masks, "--by", "Ann", "--at", "2026-03-04T05:06:07Z", "--accept-unchanged", "-o", reviewed)
	sums := read(t, filepath.Join(dir, "SHA256SUMS"))
	var kept []string
	for line := range strings.Lines(string(sums)) {
		if !strings.Contains(line, "reviewed") {
			kept = append(kept, line)
		}
	}
	try(t, os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(strings.Join(kept, "")), 0o666))
	must(t, "check", manifest, "--prune", "--yes")
	if _, _, _, err := manifests.ReadFile(reviewed); err != nil {
		t.Errorf("--prune took something from another manifest: %v", err)
	}
	// nor does a manifest lose its masks that was renamed, moved, or has lost a half
	for _, how := range [][2]string{{"reviewed.yaml", "reviewed.yml"}, {"reviewed.yaml", "old.run.yaml"}, {"reviewed.yaml", "annotate/x.yaml"},
		{"reviewed.yaml", "../gone.yaml"}, {"reviewed.d", "x"}, {"reviewed.yaml", "horseseg.d/reviewed.yaml"}} {
		from, to := filepath.Join(dir, how[0]), filepath.Join(dir, how[1])
		try(t, os.MkdirAll(filepath.Dir(to), 0o777), os.Rename(from, to))
		out, errs, _ := hdseg(t, "check", manifest, "--prune", "--yes")
		try(t, os.Rename(to, from))
		if _, _, _, err := manifests.ReadFile(reviewed); err != nil || strings.Contains(out, "removed") || !strings.Contains(errs, "reviewed") {
			t.Errorf("with %s as %s: %s, %s, %v", how[0], how[1], out, errs, err)
		}
	}
	_, build := world(t, false)
	must(t, append(build, "-o", dir, "--set", "transfer.pool.neighbors=3")...)
	try(t, os.Remove(reviewed), os.RemoveAll(filepath.Join(dir, "reviewed.d")))
	out = must(t, "check", manifest, "--prune", "--yes")
	if !strings.Contains(out, "removed ") {
		t.Errorf("masks of a build with other settings are not leftovers: %s", out)
	}
	if out := must(t, "check", manifest); strings.Contains(out, "fault\n") {
		t.Errorf("after --prune: %s", out)
	}
	must(t, append(build, "-o", dir)...)
	s, m, digest, err := manifests.ReadFile(manifest)
	try(t, err)
	// SHA256SUMS is mended by the build, which says so
	for _, text := range []string{"", "x\n"} {
		try(t, os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(text), 0o666))
		if _, errs, code := hdseg(t, append(build, "-o", dir)...); code != exitDone || !strings.Contains(errs, "SHA256SUMS is missing or is not what was written") {
			t.Errorf("SHA256SUMS of %q: exit %d, %s", text, code, errs)
		}
		must(t, "check", manifest)
	}
	c, err := campaign.Open(s, "horseseg", m, digest, campaign.Options{})
	try(t, err)
	r := first(m, manifests.Train, manifests.BBox)
	drawn := raster.NewMask(r.Image.Width, r.Image.Height)
	drawn.Pix[0] = raster.Figure
	line, err := c.Save(campaign.Person{Name: "Ann", Role: campaign.Annotator}, campaign.Key(r.ID), campaign.SaveRequest{Mask: drawn})
	try(t, err)
	c.Close()
	mask := line.Revisions[0].Path
	if out := must(t, "check", manifest, "--prune", "--yes"); strings.Contains(out, "removed") {
		t.Errorf("beside a campaign: %s", out)
	}
	// apply replaces no manifest that its input was made from
	for _, name := range []string{"stages/ingest.yaml", "stages/split.yaml"} {
		was := read(t, filepath.Join(dir, name))
		_, errs, code := hdseg(t, "annotate", "apply", manifest, "-o", filepath.Join(dir, name))
		if code != exitError || !strings.Contains(errs, "was made from another manifest than the input") || !bytes.Equal(read(t, filepath.Join(dir, name)), was) {
			t.Errorf("apply over %s: exit %d, %s", name, code, errs)
		}
	}
	// also if its logs are gone
	events := filepath.Join(dir, "annotate", "horseseg", "events")
	try(t, os.RemoveAll(events))
	if out, errs, code := hdseg(t, "check", manifest, "--prune", "--yes"); code != exitError || !strings.Contains(errs, "which masks it needs is not known") {
		t.Errorf("without the logs: exit %d, %s%s", code, out, errs)
	}
	if out, _, code := hdseg(t, "check", manifest); code != exitError || !strings.Contains(out, " 1 fault\n") || !strings.Contains(out, ".jsonl: its log has 0 events") {
		t.Errorf("without the logs: exit %d, %s", code, out)
	}
	if _, err := os.Stat(filepath.Join(dir, mask)); err != nil {
		t.Errorf("the mask of a campaign: %v", err)
	}
}

// Features that are there are read by the command that would make them: a flipped byte is an error, also if the time of the file is as before.
func TestFeaturesFlipped(t *testing.T) {
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	for _, name := range []string{"features/0000.arrow", "features/index.json"} {
		file := filepath.Join(dir, name)
		was := read(t, file)
		st, err := os.Stat(file)
		try(t, err)
		must(t, "features", manifest)
		for _, at := range []int{1, len(was) / 3, len(was) / 2, len(was) - 9} {
			bad := slices.Clone(was)
			bad[at] ^= 4
			try(t, os.WriteFile(file, bad, 0o666), os.Chtimes(file, st.ModTime(), st.ModTime()))
			_, errs, code := hdseg(t, "features", manifest)
			if code != exitError || !strings.Contains(errs, "features/") || !strings.Contains(errs, "is damaged: delete its folder and run the same command again") {
				t.Errorf("%s, byte %d: exit %d, %s", name, at, code, errs)
			}
		}
		try(t, os.RemoveAll(filepath.Join(dir, "features")))
		must(t, "features", manifest)
		manifest = drawn(t)
		dir = filepath.Dir(manifest)
	}
}

// SHA256SUMS keeps lines of files that no manifest names any more: where such a file is damaged or gone, check names --prune, which
// mends it.
func TestListedLeftovers(t *testing.T) {
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	s, _, _, err := manifests.ReadFile(manifest)
	try(t, err)
	reviewed, masks := filepath.Join(dir, "reviewed"), filepath.Join(t.TempDir(), "masks")
	review := func() {
		t.Helper()
		must(t, "annotate", "import", manifest, "--masks", masks, "--by", "Ann", "--at", "2026-03-04T05:06:07Z", "--accept-unchanged", "-o", reviewed+".yaml")
		try(t, os.Remove(reviewed+".yaml"), os.RemoveAll(reviewed+".d"))
	}
	must(t, "annotate", "export", manifest, "--format", "png", "--to", masks)
	review()
	left, _, err := manifests.Unnamed(s, nil)
	if err != nil || len(left) < 2 {
		t.Fatalf("left: %v, %v", left, err)
	}
	mended := func(what string, faults int) {
		t.Helper()
		out, errs, code := hdseg(t, "check", manifest)
		_, line, _ := strings.Cut(out, "to mend this: remove what no manifest names: hdseg ")
		line, _, _ = strings.Cut(line, "\n")
		if code != exitError || strings.Count(out, "surplus: SHA256SUMS: ") != faults || line != shellLine("check", manifest, "--prune") ||
			strings.Count(out, "to mend this") != 1 {
			t.Errorf("%s: exit %d, %s%s", what, code, out, errs)
		}
		must(t, "check", manifest, "--prune", "--yes")
		if out := must(t, "check", manifest); !strings.HasSuffix(out, " 0 faults\n") {
			t.Errorf("%s, after --prune: %s", what, out)
		}
	}
	flip(filepath.Join(dir, left[0]))
	try(t, os.Remove(filepath.Join(dir, left[1])))
	mended("masks and a manifest that are gone, and a flipped mask", 5)
	review()
	mended("a manifest that is gone", 3)
}

// A command that cannot tell whether the index was edited says so, and what to do, and goes on.
func TestReadersWithoutSums(t *testing.T) {
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	sums := filepath.Join(dir, "SHA256SUMS")
	whole := string(read(t, sums))
	without := func() (text string) {
		for line := range strings.Lines(whole) {
			if !strings.HasSuffix(line, "  horseseg.yaml\n") {
				text += line
			}
		}
		return text
	}()
	for text, want := range map[string]string{"": "SHA256SUMS is missing", without: "it has no line for horseseg.yaml"} {
		try(t, os.Remove(sums))
		if text != "" {
			try(t, os.WriteFile(sums, []byte(text), 0o666))
		}
		to := t.TempDir()
		for _, args := range [][]string{
			{"train", manifest, "--preset", "fast", "-o", filepath.Join(to, "m")}, {"stats", manifest},
			{"export", manifest, "--format", "voc", "-o", filepath.Join(to, "voc")}, {"diff", manifest, manifest},
		} {
			_, errs, code := hdseg(t, args...)
			if code != exitDone {
				t.Errorf("%s, %s: exit %d: %s", want, args[0], code, errs)
			}
			if n := strings.Count(errs, want); n != 1 && args[0] != "diff" || !strings.Contains(errs, "restore") {
				t.Errorf("%s, %s: said %d times: %s", want, args[0], n, errs)
			}
		}
		try(t, os.WriteFile(sums, []byte(whole), 0o666))
	}
	if _, errs, _ := hdseg(t, "stats", manifest); strings.Contains(errs, "SHA256SUMS") {
		t.Errorf("with a whole list: %s", errs)
	}
}

// A data set behind a link keeps its files under --prune, and so does one whose folder of masks is a link.
func TestCheckPruneLinks(t *testing.T) {
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	want := bytesOf(t, dir)
	link := filepath.Join(t.TempDir(), "link")
	try(t, os.Symlink(dir, link))
	if out := must(t, "check", filepath.Join(link, filepath.Base(manifest)), "--prune", "--yes"); strings.Contains(out, "removed") || bytesOf(t, dir) != want {
		t.Errorf("behind a link: %s, or files are gone", out)
	}
	masks := filepath.Join(t.TempDir(), "masks")
	try(t, os.CopyFS(masks, os.DirFS(filepath.Join(dir, "masks"))), os.RemoveAll(filepath.Join(dir, "masks")), os.Symlink(masks, filepath.Join(dir, "masks")))
	if out := must(t, "check", manifest, "--prune", "--yes"); strings.Contains(out, "removed") {
		t.Errorf("a linked folder of masks: %s", out)
	}
}

// Bytes that a disk lost, while size, times and inode of the file stayed, are found by check, and the build that it names mends them.
func TestLostBytes(t *testing.T) {
	_, build := world(t, false)
	build = append(build[:len(build):len(build)], "-o")
	for _, kind := range []string{"images/", "masks/bbox/"} {
		manifest := drawn(t)
		dir := filepath.Dir(manifest)
		must(t, append(build, dir)...) // the copies have times of their own
		files := filesOf(t, dir)
		file := files[slices.IndexFunc(files, func(f string) bool { return strings.HasPrefix(f, filepath.Join(dir, kind)) })]
		rel, _ := filepath.Rel(dir, file)
		rows := filepath.Join(dir, ".work", "files.run.yaml")
		row := regexp.MustCompile(`(?m)^- \[([0-9a-f]+), .*"` + regexp.QuoteMeta(rel) + `"\]$`)
		was := row.FindSubmatch(read(t, rows))
		want := bytesOf(t, dir)
		flip(file)
		if _, errs, code := hdseg(t, "features", manifest); code != exitError || !strings.Contains(errs, "missing or changed: 1 ("+rel) {
			t.Fatalf("%s: exit %d, %s", rel, code, errs)
		}
		is := row.FindSubmatch(read(t, rows)) // with the times of now
		text := bytes.Replace(read(t, rows), is[0], bytes.Replace(is[0], is[1], was[1], 1), 1)
		try(t, os.WriteFile(rows, text, 0o666))
		if _, errs, code := hdseg(t, "features", manifest); code != exitDone || !strings.Contains(errs, "unchanged, as the system tells") {
			t.Errorf("%s: exit %d, %s, want what is lost unseen", rel, code, errs)
		}
		if out, _, code := hdseg(t, "check", manifest); code != exitError || !strings.Contains(out, rel) || !strings.Contains(out, "run again: ") {
			t.Errorf("%s: exit %d, %s", rel, code, out)
		}
		_, errs, _ := hdseg(t, append(build, dir)...)
		if bytesOf(t, dir) != want {
			t.Errorf("%s: the build does not mend it: %s", rel, errs)
		}
		must(t, "check", manifest)
	}
}

// A build notices a flipped mask and flipped features at once, also where other files were touched since the last one.
func TestFlipsAmongTouchedFiles(t *testing.T) {
	_, build := world(t, false)
	dir := filepath.Dir(drawn(t))
	masks, err := filepath.Glob(filepath.Join(dir, "masks", "bbox", "*", "*.png"))
	if err != nil || len(masks) == 0 {
		masks, _ = filepath.Glob(filepath.Join(dir, "masks", "bbox", "*.png"))
	}
	if len(masks) == 0 {
		t.Fatal("no mask of a box")
	}
	for _, file := range filesOf(t, dir) { // as a copy of the data set is
		now := time.Now()
		try(t, os.Chtimes(file, now, now))
	}
	data := read(t, masks[0])
	data[len(data)/2] ^= 4
	try(t, os.WriteFile(masks[0], data, 0o666))
	_, errs, _ := hdseg(t, append(build[:len(build):len(build)], "-o", dir)...)
	if !strings.Contains(errs, filepath.Base(masks[0])) {
		t.Errorf("the first build says %q, want the flipped mask %s named", errs, masks[0])
	}
	must(t, "check", filepath.Join(dir, "horseseg.yaml"))
}
