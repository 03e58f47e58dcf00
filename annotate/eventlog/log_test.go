package eventlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTornTail cuts a log at every byte: what remains are the whole lines before, and one that lacks only its end, and
// the log goes on from there.
func TestTornTail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.jsonl")
	l, _, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two", "three"} {
		if err := l.Append(&Event{Kind: Comment, By: "Ann", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(data) + 1 {
		if err := os.WriteFile(file, data[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		l, events, err := Open(file)
		want := strings.Count(string(data[:n]), "\n")
		if n < len(data) && data[n] == '\n' {
			want++
		}
		if err != nil || len(events) != want {
			t.Fatalf("cut at %d: got %d events, %v, want %d", n, len(events), err, want)
		}
		if err := l.Append(&Event{Kind: Comment, By: "Ben", Text: "next"}); err != nil {
			t.Fatal(err)
		}
		if again, _, err := Read(file); err != nil || len(again) != len(events)+1 {
			t.Fatalf("cut at %d: after the next event: %d, %v", n, len(again), err)
		}
	}
}

// TestEdited refuses a log in which a line was changed or removed, and one that another program grows.
func TestEdited(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.jsonl")
	l, _, _ := Open(file)
	for range 3 {
		if err := l.Append(&Event{Kind: Comment, By: "Ann", Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	data, _ := os.ReadFile(file)
	lines := strings.SplitAfter(string(data), "\n")
	for name, text := range map[string]string{"changed": strings.Replace(string(data), "Ann", "Eve", 1), "removed": lines[0] + lines[2], "swapped": lines[1] + lines[0] + lines[2]} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	if err := os.WriteFile(file, append(data, "{}\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(&Event{Kind: Comment}); err == nil {
		t.Error("another program wrote: want an error")
	}
	if now, _ := os.ReadFile(file); len(now) != len(data)+3 {
		t.Error("what the other program wrote was cut off")
	}
}

// TestNoFile refuses a log that is a pipe or a folder at once.
func TestNoFile(t *testing.T) {
	if _, _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("a folder: got %v", err)
	}
}
