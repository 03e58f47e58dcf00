package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// No command writes its results over what it reads, over each other, over the data set, or over somebody's file; an older result of
// the same kind is replaced.
func TestResultsReplaceNothing(t *testing.T) {
	longOnly(t)
	in := drawn(t)
	set := filepath.Dir(in)
	t.Chdir(t.TempDir())
	truth := found(t, filepath.Join(set, "masks", "bbox", "*.png"))
	const notes = "what somebody wrote"
	try(t, os.WriteFile("notes.txt", []byte(notes), 0o666))
	picture := bytes.NewBuffer(nil)
	try(t, png.Encode(picture, image.NewGray(image.Rect(0, 0, 2, 1))))
	for name, data := range map[string][]byte{"photo.png": picture.Bytes(), "folds.txt": []byte("a 0\n"), "none.png": nil} {
		try(t, os.WriteFile(name, data, 0o666))
	}
	try(t, os.MkdirAll(filepath.Join("truth", "deep"), 0o777))
	right := filepath.Join("truth", "right")
	try(t, os.Mkdir(right, 0o777))
	for _, name := range truth {
		id, _, _ := strings.Cut(filepath.Base(name), ".")
		as255(t, name, filepath.Join(right, id+".png"))
	}
	try(t, os.Symlink(in, "link.yaml"))
	must(t, "train", "-i", in, "--shard", "0/1", "--progress", "none", "-o", "a.stats")
	must(t, "train", "-i", in, "--preset", "paper", "--terms", "unary", "--progress", "none", "-o", "a.model")
	index := filepath.Join(set, "report", "bench.json")
	before := filesIn(t, set, ".work", ".tmp")
	for _, args := range map[string][]string{
		"train":            {"train", "-i", in, "-o"},
		"train --shard":    {"train", "-i", in, "--shard", "0/2", "-o"},
		"merge":            {"merge", "a.stats", "-o"},
		"bench --csv":      {"bench", "-i", in, "--csv"},
		"bench --html":     {"bench", "-i", in, "--html"},
		"bench --markdown": {"bench", "-i", in, "--markdown"},
		"bench --join":     {"bench", "--join", index, "--html"},
		"bench --scenes":   {"bench", "-c", "stanford", "--scenes", "truth", "--html"},
		"study --html":     {"study", "-i", in, "--html"},
		"contact sheet":    {"transfer", "-i", in, "--evaluate", "truth", "--contact-sheet"},
		"calibration":      {"transfer", "-i", in, "--evaluate", "truth", "--calibration"},
	} {
		with := func(to string) []string { return append(slices.Clone(args), to) }
		says(t, exitError, "exists and is no", with("notes.txt")...)
		says(t, exitError, "exists and is no", with("photo.png")...)
		says(t, exitError, "make it first", with(filepath.Join("nope", "x"))...)
		if slices.Contains(args, "-i") {
			says(t, exitUsage, "the input", with(in)...)
			says(t, exitUsage, "the input", with("link.yaml")...)
			says(t, exitUsage, "one of the files of the data set", with(filepath.Join(filepath.Dir(truth[0]), "new"))...)
			says(t, exitUsage, "one of the files of the data set", with(filepath.Join(set, "images", "new"))...)
			says(t, exitUsage, "one of the files of the data set", with(filepath.Join(set, "horseseg.d", "new"))...)
		}
		if slices.Contains(args, "truth") {
			says(t, exitUsage, "lies inside the input truth", with(filepath.Join("truth", "deep", "x"))...)
		}
	}
	says(t, exitUsage, "the input", "merge", "a.stats", "-o", "./a.stats")
	says(t, exitUsage, "the input", "train", "--statistics", "a.stats", "-o", "a.stats")
	says(t, exitUsage, "the input", "bench", "--join", index, "--markdown", index)
	says(t, exitUsage, "the input", "bench", "-i", in, "--compare", index, "--html", index)
	says(t, exitUsage, "the input", "bench", "-i", in, "--folds-file", "folds.txt", "--html", "folds.txt")
	says(t, exitUsage, "name the same file", "bench", "-i", in, "--html", "new", "--csv", "./new")
	says(t, exitUsage, "name the same file", "bench", "-i", in, "--cross-validate", "2", "--folds-file", "new", "--csv", "new")
	says(t, exitUsage, "name the same file", "transfer", "-i", in, "--evaluate", "truth", "--contact-sheet", "none.png", "--calibration", "none.png")
	says(t, exitError, "exists and is no", "transfer", "-i", in, "--evaluate", "truth", "--contact-sheet", "a.model")
	run := filepath.Join(set, "horseseg.run.yaml")
	says(t, exitError, "exists and is no manifest", "split", "-i", filepath.Join(set, "stages", "ingest.yaml"), "-o", run)
	says(t, exitError, "exists and is no manifest", "transfer", "-i", filepath.Join(set, "stages", "split.yaml"), "-o", run)
	says(t, exitError, "parent folder does not exist", "segment", "--model", "a.model", "-o", filepath.Join("nope", "masks"), "photo.png")
	try(t, os.WriteFile("photo.mask.png", []byte(notes), 0o666))
	says(t, exitError, "exists and is no PNG", "segment", "--model", "a.model", "-o", ".", "photo.png")
	try(t, os.Remove("photo.mask.png"))
	for f, data := range filesIn(t, set, ".work", ".tmp") {
		if was, ok := before[f]; !ok || data != was {
			t.Errorf("was written: %s", f)
		}
	}

	// Twice, so that the second replaces the first.
	for range 2 {
		must(t, "train", "-i", in, "--preset", "paper", "--terms", "unary", "--progress", "none", "-o", "a.model")
		must(t, "train", "-i", in, "--shard", "0/1", "--progress", "none", "-o", "a.stats")
		must(t, "merge", "a.stats", "-o", "all.stats")
		must(t, "bench", "-i", in, "--tiers", "manual", "--set", "bench.samples=20", "--progress", "none", "--csv", "a.csv", "--html", "a.html", "--markdown", "a.md")
		must(t, "bench", "--join", index, "--csv", "a.csv", "--html", "a.html", "--markdown", "a.md")
		must(t, "study", "-i", in, "--draws", "1", "--set", "bench.samples=20", "--progress", "none", "--html", "a.html")
		must(t, "transfer", "-i", in, "--evaluate", right, "--contact-sheet", "none.png", "--calibration", "a.svg")
	}
	sheet := read(t, "none.png")
	if _, err := png.Decode(bytes.NewReader(sheet)); err != nil {
		t.Errorf("the contact sheet: %v", err)
	}
}

// as255 writes a mask of a data set as a true one: 255 is figure.
func as255(t *testing.T, from, to string) {
	t.Helper()
	data := read(t, from)
	im, err := png.Decode(bytes.NewReader(data))
	try(t, err)
	mask := image.NewGray(im.Bounds())
	for i, v := range im.(*image.Gray).Pix {
		mask.Pix[i] = 255 * min(v, 1)
	}
	var b bytes.Buffer
	try(t, png.Encode(&b, mask))
	try(t, os.WriteFile(to, b.Bytes(), 0o666))
}

// A file on the way to -o is named before any work, whatever the command writes.
func TestFileWhereAFolderIsWanted(t *testing.T) {
	t.Chdir(t.TempDir())
	try(t, os.WriteFile("afile", nil, 0o666))
	tried := 0
	eachCommand((&app{stdout: io.Discard, stderr: io.Discard}).rootCommand(), func(cmd *cobra.Command) {
		o := cmd.Flags().Lookup("out")
		if o == nil {
			return
		}
		tried++
		args := strings.Fields(cmd.CommandPath())[1:]
		for range 3 { // as many as the command takes
			if cmd.ValidateArgs(args[len(strings.Fields(cmd.CommandPath()))-1:]) == nil {
				break
			}
			args = append(args, "x.yaml")
		}
		outs := []string{filepath.Join("afile", "x.yaml")}
		if strings.HasPrefix(o.Usage, "folder") {
			outs = append(outs, "afile")
		}
		for _, out := range outs {
			want := "error: -o " + out + ": afile is a file, want a folder\n"
			if _, errs, code := hdseg(t, append(args, "-o", out)...); code != exitError || errs != want {
				t.Errorf("%q -o %s: got exit %d and %q, want %q", args, out, code, errs, want)
			}
		}
	})
	if tried < 15 {
		t.Errorf("tried %d commands, want 15 or more", tried)
	}
}

// Faults of the file system have one wording, and the name once.
func TestInWords(t *testing.T) {
	gone := &fs.PathError{Op: "open", Path: "a/b", Err: fs.ErrNotExist}
	for _, c := range []struct {
		err  error
		want string
	}{
		{gone, "a/b: no such file or folder"},
		{fmt.Errorf("ingest: %w; want one", gone), "ingest: a/b: no such file or folder; want one"},
		{fmt.Errorf("x: a/b: %w", gone), "x: a/b: no such file or folder"},
		{&fs.PathError{Op: "mkdir", Path: "a", Err: syscall.ENOTDIR}, "a: a file stands where a folder is wanted"},
		{&fs.PathError{Op: "write to", Path: "a", Err: fs.ErrPermission}, "a: permission denied"},
		{errors.New("open a/b: no"), "open a/b: no"},
	} {
		if got := inWords(c.err); got.Error() != c.want || !errors.Is(got, c.err) {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
	}
}
