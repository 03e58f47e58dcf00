package main

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

// What is quoted, a shell takes for the same argument.
func TestQuotedIsOneArgument(t *testing.T) {
	if got := format.Shell("manual,bbox@0.25"); got != "manual,bbox@0.25" {
		t.Errorf("got %s, want it as it is", got)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here: quoting was not tried")
	}
	for _, arg := range []string{"manual;manual,bbox", "", "it's $HOME", "a\nb", `c:\x "y"`, "*", "train.lambdas=[0, 1]", "-x", "ü"} {
		out, err := exec.Command(sh, "-c", "printf %s "+format.Shell(arg)).Output()
		if err != nil || string(out) != arg {
			t.Errorf("%q: a shell gets %q, %v", arg, out, err)
		}
	}
}

// Every command that reads a manifest takes it as its last argument or with -i, and never twice.
func TestManifestArgument(t *testing.T) {
	const missing = "nothere.yaml: no such file or folder"
	seen := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			walk(c)
		}
		if cmd.Flags().Lookup("in") == nil {
			return
		}
		seen++
		if !strings.Contains(cmd.Use, "MANIFEST") {
			t.Errorf("%s: the line of use does not name MANIFEST: %s", cmd.CommandPath(), cmd.Use)
		}
		path := strings.Fields(strings.TrimPrefix(cmd.CommandPath(), "hdseg "))
		before := strings.Count(cmd.Use, " ID ") + strings.Count(cmd.Use, " DIR ")
		for range before {
			path = append(path, "a")
		}
		says(t, exitUsage, "twice", append(path, "x.yaml", "-i", "y.yaml")...)
	}
	walk((&app{}).rootCommand())
	if seen < 15 {
		t.Errorf("got %d commands that read a manifest, want 15 or more", seen)
	}
	for _, args := range [][]string{{"stats", "nothere.yaml"}, {"stats", "-i", "nothere.yaml"}, {"why", "a", "nothere.yaml"}, {"why", "a", "-i", "nothere.yaml"}, {"check", "nothere.yaml"}, {"features", "nothere.yaml"}} {
		says(t, exitError, missing, args...)
	}
}

// With --json an error is one object on stdout, also where a flag before --json is wrong.
func TestJSONErrors(t *testing.T) {
	for _, c := range []struct {
		args       []string
		command    string
		kind, says string
		code       int
	}{
		{[]string{"train", "--json"}, "train", "usage", "-o is missing", exitUsage},
		{[]string{"stats", "x.yaml", "--json"}, "stats", "error", "no such file or folder", exitError},
		{[]string{"stats", "--no-such", "--json"}, "stats", "usage", "--no-such", exitUsage},
	} {
		stdout, _, code := hdseg(t, c.args...)
		var f failure
		if err := json.Unmarshal([]byte(stdout), &f); err != nil || code != c.code || f.Command != c.command || f.Error.Kind != c.kind ||
			!strings.Contains(f.Error.Message, c.says) || f.Error.ExitCode != c.code {
			t.Errorf("%q: exit %d, %v, %s", c.args, code, err, stdout)
		}
	}
}

// Help fits a terminal, and examples that are broken keep their meaning.
func TestHelpWidth(t *testing.T) {
	commands := 0
	eachCommand((&app{stdout: io.Discard, stderr: io.Discard}).rootCommand(), func(cmd *cobra.Command) {
		commands++
		stdout, _, code := hdseg(t, append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
		if code != exitDone {
			t.Errorf("%s --help: exit %d", cmd.CommandPath(), code)
		}
		for line := range strings.Lines(stdout) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > helpWidth {
				t.Errorf("%s --help: %d columns, want at most %d: %s", cmd.CommandPath(), n, helpWidth, line)
			}
		}
	})
	if commands < 30 {
		t.Errorf("got %d commands, want 30 or more", commands)
	}
	got := wrapCommands("  hdseg a --bb cc --dd ee", 19)
	if want := "  hdseg a --bb cc \\\n      --dd ee"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// help prints topics and writes man pages, which have the same bytes every time.
func TestHelpTopicsAndMan(t *testing.T) {
	for topic, want := range map[string]string{
		"settings": "\n\nclass.name=\"\": category that is figure, such as horse\n",
		"json":     "\nCommands\n--------\n\nevery command: command, version, seconds:num,",
	} {
		out := must(t, "help", topic)
		if !strings.Contains(out, want) || strings.Contains(out, "`") || strings.Contains(out, "\n#") || strings.Contains(out, "\n- ") {
			t.Errorf("help %s is no plain text, or lacks %q", topic, want)
		}
		for line := range strings.Lines(out) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > helpWidth && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("help %s: %d columns: %s", topic, n, line)
			}
		}
		// It prints text alone, and says so in JSON.
		said, _, code := hdseg(t, "help", topic, "--json")
		var f failure
		if err := json.Unmarshal([]byte(said), &f); err != nil || code != exitUsage || !strings.Contains(f.Error.Message, "leave out --json") {
			t.Errorf("help %s --json: exit %d, %v: %s", topic, code, err, said)
		}
	}
	says(t, exitUsage, `no command or topic is called "nothing"`, "help", "nothing")
	a, b := t.TempDir(), t.TempDir()
	must(t, "help", "--man", a)
	must(t, "help", "--man", b)
	page, err := os.ReadFile(filepath.Join(a, "hdseg-annotate-serve.1"))
	again, err2 := os.ReadFile(filepath.Join(b, "hdseg-annotate-serve.1"))
	if err != nil || err2 != nil || !bytes.Equal(page, again) || !bytes.Contains(page, []byte("blind")) {
		t.Errorf("%v, %v: the man page of annotate serve is not there, or differs", err, err2)
	}
	if !bytes.Contains(page, []byte(`.TH "HDSEG-ANNOTATE-SERVE" "1"`)) {
		t.Error("the man page of annotate serve is headed by another name")
	}
}

// The shell completes settings, formats, kinds, experiments and manifests.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"bench", "--set", "train.tr"}, "train.trees.depth=\n"},
		{[]string{"export", "--format", ""}, "croissant\n"},
		{[]string{"annotate", "import", "--format", ""}, "cvat\n"},
		{[]string{"bench", "--model", ""}, "trees\n"},
		{[]string{"bench", "--config", ""}, "dogseg\n"},
		{[]string{"train", "--preset", ""}, "best\n"},
		{[]string{"bench", ""}, "yaml\n:8\n"},
		{[]string{"help", ""}, "settings\n"},
		{[]string{"build", "--set", "ingest.object="}, "ingest.object=union\ningest.object=largest\ningest.object=all\n:4\n"},
		{[]string{"build", "--set", "ingest.allowTruncated="}, "ingest.allowTruncated=true\ningest.allowTruncated=false\n:4\n"},
		{[]string{"build", "--set", "transfer.pool.neighbors="}, ":4\n"}, // any number
		{[]string{"demo", "--class", ""}, "dog\n"},
		{[]string{"init", "--class", ""}, ":0\n"},
		{[]string{"init", ""}, ":4\n"},
		{[]string{"show", "a", ""}, "yaml\n:8\n"},
	} {
		if out := must(t, append([]string{"__complete"}, c.args...)...); !strings.Contains(out, c.want) {
			t.Errorf("%q: got %q, want %q in it", c.args, out, c.want)
		}
	}
	if out := must(t, "__complete", "help", ""); strings.Contains(out, "__complete") {
		t.Errorf("help offers %q", out)
	}
	if out := must(t, "__complete", "init", "--class", ""); strings.Contains(out, "horse") {
		t.Errorf("init --class offers %q, want nothing", out)
	}
	// Every value that is offered for a setting is taken.
	for path, values := range settingValues {
		for _, v := range values {
			if _, err := configs.Load("horseseg", "train.treeFeatures.folds=5", path+"="+v); err != nil {
				t.Errorf("%s=%s: %v", path, v, err)
			}
		}
		if _, err := configs.Load("horseseg", "train.treeFeatures.folds=5", path+"=zzz"); err == nil {
			t.Errorf("%s takes any value", path)
		}
	}
	// Ids are those of -i, or of the one manifest here.
	in := drawn(t)
	_, m, _, err := manifests.ReadFile(in)
	try(t, err)
	id := m.Records[0].ID
	t.Chdir(filepath.Dir(filepath.Dir(in)))
	for _, args := range [][]string{{"show", id[:4]}, {"why", "-i", in, id[:4]}} {
		if out := must(t, append([]string{"__complete"}, args...)...); !strings.Contains(out, id+"\n") {
			t.Errorf("%q: got %q, want %s in it", args, out, id)
		}
	}
}

// A mistyped flag names the one that was meant; one that is like no other does not.
func TestFlagSuggestion(t *testing.T) {
	says(t, exitUsage, "unknown flag: --sett; did you mean --set?", "build", "--sett", "x")
	t.Chdir(t.TempDir())
	must(t, "init", "zebra")
	for _, c := range []struct{ flag, value, want string }{
		{"--preset", "bset", "--preset bset: want one of network, paper, fast, best; did you mean best?"},
		{"--preset", "zzzzzz", "--preset zzzzzz: want one of network, paper, fast, best\n"},
		{"-c", "horsesg", "-c horsesg: no such file or folder, and the built-in configs are dogseg, horseseg, stanford; did you mean horseseg?"},
		{"-c", "zbra.yaml", "did you mean zebra.yaml?"},
		{"-c", "nothing.like.it", "the built-in configs are dogseg, horseseg, stanford\n"},
	} {
		if _, errs, code := hdseg(t, "build", "-o", "x", c.flag, c.value); code == exitDone || !strings.Contains(errs, c.want) {
			t.Errorf("%s %s: got exit %d and %q, want %q", c.flag, c.value, code, errs, c.want)
		}
	}
	if _, errs, _ := hdseg(t, "build", "--zzzzzz"); strings.Contains(errs, "did you mean") {
		t.Errorf("got %s", errs)
	}
}

// A data set that serve cannot write to is one line with what to do; other errors stay.
func TestUnwritable(t *testing.T) {
	err := unwritable(&fs.PathError{Op: "mkdir", Path: "/a b/annotate", Err: fs.ErrPermission}, "/a b")
	if want := "/a b: this user cannot write there, where annotate serve keeps all work: let the user write it (chmod -R u+w '/a b'), or copy the data set and serve the copy"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := unwritable(io.EOF, "x"); err != io.EOF {
		t.Errorf("got %v", err)
	}
}

// A setting that an error advises works when it is pasted into a shell.
func TestNameClassWorks(t *testing.T) {
	for _, name := range []string{"Horse", " Horse", "horse ", "a b", "no", "7", "it's", "a: b", "\u9a6c", `say "x"`} {
		_, line, _ := strings.Cut(format.NameClass(name), "or ")
		out, err := exec.Command("sh", "-c", "printf %s "+strings.TrimPrefix(strings.TrimSuffix(line, ")"), "--set ")).Output()
		if err != nil {
			t.Skip("SKIPPED: there is no sh: ", err)
		}
		if e, err := configs.Load("horseseg", string(out)); err != nil || e.Class.Name != name {
			t.Errorf("%q: %s gives %+v, %v", name, line, e, err)
		}
	}
}
