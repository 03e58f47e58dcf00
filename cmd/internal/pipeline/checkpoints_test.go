package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func ls(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		out = append(out, f.Name())
	}
	return out
}

// What one process saves another loads; what is of other keys or files is left alone, and told of once.
func TestCheckpointFiles(t *testing.T) {
	dir := t.TempDir()
	var said []string
	warn := func(line string) { said = append(said, line) }
	file := filepath.Join(dir, "a.model")
	first := NewCheckpoints(file, warn)
	if first.Load("node", "11") != nil || first.Kept() {
		t.Error("something is there before anything was saved")
	}
	first.Save("node", "11", []byte("trees"))
	NewCheckpoints(filepath.Join(dir, "a.model2"), warn).Save("node", "11", []byte("x"))
	NewCheckpoints(filepath.Join(dir, "a.mode"), warn).Save("node", "11", []byte("x"))
	if len(said) > 0 || !first.Kept() {
		t.Errorf("kept %v, said %q", first.Kept(), said)
	}
	if got := NewCheckpoints(file, warn).Load("node", "11"); string(got) != "trees" || len(said) > 0 {
		t.Errorf("got %q, said %q", got, said)
	}
	other := NewCheckpoints(file, warn)
	for range 2 {
		if other.Load("node", "22") != nil || other.Load("edge", "33") != nil {
			t.Error("loaded the trees of another training")
		}
	}
	if len(said) != 1 || !strings.HasPrefix(said[0], file+".node-11.checkpoint: ") {
		t.Errorf("said %q, want one line of the node's checkpoint", said)
	}
	other.Save("node", "22", []byte("y"))
	if err := other.Remove(); err != nil {
		t.Fatal(err)
	}
	if got, want := ls(t, dir), []string{"a.mode.node-11.checkpoint", "a.model.node-11.checkpoint", "a.model2.node-11.checkpoint"}; !slices.Equal(got, want) {
		t.Errorf("after the other training: %q, want %q", got, want)
	}
}

// A folder of checkpoints is of many trainings: it tells of none, and goes with the last.
func TestCheckpointFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "work", "checkpoints")
	one := FolderCheckpoints(dir, func(line string) { t.Error(line) })
	two := FolderCheckpoints(dir, func(line string) { t.Error(line) })
	one.Save("node", "11", nil)
	two.Load("node", "22")
	two.Save("node", "22", nil)
	if err := two.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := ls(t, dir); !slices.Equal(got, []string{"node-11.checkpoint"}) {
		t.Errorf("left: %q", got)
	}
	if err := one.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the empty folder is left: %v", err)
	}
}

// It is time to save once a minute.
func TestCheckpointDue(t *testing.T) {
	c := NewCheckpoints(filepath.Join(t.TempDir(), "a"), nil)
	start := c.saved
	var due []int
	for second := range 200 {
		c.now = func() time.Time { return start.Add(time.Duration(second) * time.Second) }
		if c.Due() {
			due = append(due, second)
		}
	}
	if !slices.Equal(due, []int{60, 120, 180}) {
		t.Errorf("due at %v s, want 60, 120, 180", due)
	}
}

// That nothing can be written is told once, and nothing is then said to be kept.
func TestCheckpointNotWritten(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var said []string
	c := FolderCheckpoints(filepath.Join(dir, "file"), func(line string) { said = append(said, line) })
	c.Save("node", "11", nil)
	c.Save("edge", "11", nil)
	if len(said) != 1 || !strings.Contains(said[0], "cannot be written") || c.Kept() {
		t.Errorf("said %q, kept %v", said, c.Kept())
	}
}
