package main

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/demo"
	"hdseg/configs"
	"hdseg/manifests/remote/s3test"
)

// A documented is a command line of the README or of an example in help.
type documented struct{ where, line string }

// readmeLines returns the hdseg commands of the README's code blocks, in order.
func readmeLines(t *testing.T) (out []documented) {
	data := read(t, "../../README.md")
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(data), -1) {
		out = append(out, commandLines("README.md", block[1])...)
	}
	if len(out) < 8 {
		t.Fatalf("got %d commands in README.md, want 8 or more", len(out))
	}
	return out
}

// pageLines returns the hdseg commands of all pages: of code blocks, and those with a manifest that
// sentences quote.
func pageLines(t *testing.T) (out []documented) {
	quoted := regexp.MustCompile("(?s)```(?:sh|python)?\n(.*?)```|`(hdseg [^`\n]*\\.yaml[^`\n]*)`")
	for _, name := range tracked(t, "*.md") {
		data := read(t, filepath.Join("../..", filepath.FromSlash(name)))
		for _, m := range quoted.FindAllStringSubmatch(string(data), -1) {
			for _, d := range commandLines(name, m[1]+m[2]) {
				if !strings.Contains(d.line, "...") && !strings.Contains(d.line, "$") {
					out = append(out, d)
				}
			}
		}
	}
	if len(out) < 30 {
		t.Fatalf("got %d commands on pages, want 30 or more", len(out))
	}
	return out
}

// exampleLines returns the examples of all commands, in the order of help.
func exampleLines(t *testing.T) (out []documented) {
	eachCommand((&app{stdout: io.Discard, stderr: io.Discard}).rootCommand(), func(cmd *cobra.Command) {
		if cmd.Example == "" && cmd.Runnable() && cmd.Name() != "hdseg" {
			t.Errorf("%s --help has no example", cmd.CommandPath())
		}
		out = append(out, commandLines(cmd.CommandPath()+" --help", cmd.Example)...)
	})
	if len(out) < 50 {
		t.Fatalf("got %d examples, want 50 or more", len(out))
	}
	return out
}

// commandLines joins broken lines, drops comments and keeps the lines that begin with hdseg.
func commandLines(where, text string) (out []documented) {
	text = regexp.MustCompile(`\\\n\s*`).ReplaceAllString(text, "")
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
		line = strings.TrimSpace(strings.TrimPrefix(line, "./"))
		if strings.HasPrefix(line, "hdseg ") || strings.HasPrefix(line, "for ") {
			out = append(out, documented{where, line})
		}
	}
	return out
}

// words splits a command line at spaces outside single quotes.
func words(line string) (out []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out[len(out)-1] += part
			continue
		}
		fields := strings.Fields(part)
		if i > 0 && !strings.HasPrefix(part, " ") && len(fields) > 0 {
			out[len(out)-1] += fields[0]
			fields = fields[1:]
		}
		out = append(out, fields...)
		if strings.HasSuffix(part, " ") {
			out = append(out, "")
		}
	}
	return out
}

// Every documented command has flags and arguments that the program takes, and settings that exist.
func TestDocumentedCommandsParse(t *testing.T) {
	for _, d := range append(pageLines(t), exampleLines(t)...) {
		if strings.HasPrefix(d.line, "for ") {
			continue // a shell's; it is run below
		}
		line, _, _ := strings.Cut(d.line, " > ")
		line, _, _ = strings.Cut(line, " && ")
		root := (&app{stdout: io.Discard, stderr: io.Discard}).rootCommand()
		cmd, rest, err := root.Find(words(line)[1:])
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err == nil && cmd.Flags().Lookup("set") != nil {
			sets, _ := cmd.Flags().GetStringArray("set")
			_, err = configs.Load("horseseg", sets...)
		}
		if err != nil {
			t.Errorf("%s: %s: %v", d.where, d.line, err)
		}
	}
}

// needs says why a documented command cannot run in the drawn world.
var needs = []struct{ part, why string }{
	{"serve ", "runs until it is ended; the tests of the page start it"},
	{"hdseg view", "runs until it is ended; its own test starts it"},
	{"iccv09Data", "wants Stanford Background"},
	{"ILSVRC2012", "wants ImageNet"},
	{"instances_train2017", "wants COCO"},
	{"dogseg.yaml", "wants a build of the dogs"},
	{"--masks ", "wants masks of another tool; the tests of annotate import make them"},
	{"out/tools.yaml", "wants masks of another tool"},
	{"annotate apply", "wants a campaign; the tests of the page make one"},
	{"info out/annotate", "wants a campaign; its own test makes one"},
	{"annotate agree", "wants a campaign; the tests of the page make one"},
	{"127.0.0.1:7070", "wants a server at this address"},
	{"--resend ", "wants a damaged object"},
	{"--join", "wants tables of several runs; TestBenchJoin makes them"},
	{"init cat --synset", "its config is there from the README"},
	{"old/", "wants an older data set"},
	{"-c my.yaml", "wants a config of one's own"},
	{"--status", "wants a planned build; TestSlurm makes one"},
	{"hdseg task ", "wants a planned build; TestPlaces makes one"},
}

// layOut puts a drawn world into dir under the names that the documentation uses, and returns the
// id of an ImageNet picture.
func layOut(t *testing.T, dir string) (id string) {
	w, err := demo.Draw(filepath.Join(dir, "world"), small, nil)
	try(t, err)
	other := small // pictures of one's own
	other.Seed, other.Tests = 9, 8
	own, err := demo.Draw(filepath.Join(dir, "own"), other, nil)
	try(t, err)
	for name, from := range map[string]string{
		"VOCdevkit": filepath.Dir(w.VOCDir), "n02374451.tar": w.ImageNetTar, "n02374451.tar.gz": w.BoxesTar, "test/horse": w.TestDir,
		"truth/horse": w.TruthDir, "cats": own.TestDir, "zebra": own.TestDir, "mine": own.TestDir,
		"photos": filepath.Join(w.TestDir, "images"),
	} {
		to := filepath.Join(dir, filepath.FromSlash(name))
		try(t, os.MkdirAll(filepath.Dir(to), 0o777))
		try(t, os.Symlink(from, to))
	}
	for _, name := range []string{"configs", "more"} {
		try(t, os.Mkdir(filepath.Join(dir, name), 0o777))
	}
	photos := found(t, filepath.Join(w.TestDir, "images", "*.jpg"))
	data, err := os.ReadFile(photos[0])
	for _, name := range []string{"photo.jpg", "photo1.jpg", "photo2.png", "more/photo3.jpg"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
		}
	}
	truth, err2 := filepath.Glob(filepath.Join(w.TruthDir, "*.png"))
	if err != nil || err2 != nil || len(truth) == 0 {
		t.Fatal(err, err2, "no pictures of ImageNet")
	}
	return strings.TrimSuffix(filepath.Base(truth[0]), ".png")
}

// order is below 0 for commands whose results other examples read.
func order(line string) int {
	for i, first := range []string{"hdseg init", "for ", "hdseg merge", "hdseg train", "hdseg shard", "hdseg push"} {
		if strings.HasPrefix(line, first) {
			return i - 9
		}
	}
	return 0
}

// Every documented command that finds its inputs in the drawn world runs there, those of the README
// first, in one folder.
func TestDocumentedCommandsRun(t *testing.T) {
	longOnly(t)
	dir := t.TempDir()
	srv := s3test.Start(t)
	id := layOut(t, dir)
	ran := 0
	examples := exampleLines(t)
	slices.SortStableFunc(examples, func(a, b documented) int { // what others read comes first
		return cmp.Compare(order(a.line), order(b.line))
	})
	for _, d := range append(readmeLines(t), examples...) {
		why := ""
		for _, n := range needs {
			if strings.Contains(d.line, n.part) {
				why = n.why
			}
		}
		if why != "" {
			t.Logf("not run: %s: %s", d.line, why)
			continue
		}
		script := strings.NewReplacer("s3://bucket/", "s3://"+s3test.Bucket+"/", "n02374451_87", id).Replace(d.line)
		c := command()
		c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `hdseg() { "` + program + `" "$@"; }; ` + script}
		c.Dir = dir
		c.Env = append(c.Env, "HDSEG_TEST_MAIN=small", "AWS_ENDPOINT_URL="+srv.URL)
		out, err := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); err != nil && code != exitSkips {
			t.Errorf("%s: %s: exit %d\n%s", d.where, d.line, code, out)
		}
		ran++
	}
	if ran < 45 {
		t.Errorf("got %d commands that ran, want 45 or more", ran)
	}
}
