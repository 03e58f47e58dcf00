package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"hdseg/manifests"
)

// A counted is a stage that writes one file and counts how often it ran.
type counted struct {
	key  string
	runs int
	fail error
}

func (c *counted) stage(s *manifests.Store) stage {
	return stage{name: "train", key: func(context.Context) (any, error) { return c.key, nil }, run: func(context.Context) (made, error) {
		c.runs++
		if c.fail != nil {
			return made{}, c.fail
		}
		return made{Read: 7, Done: 5, Aside: map[string]int{"other_class": 2}, Warnings: []string{"w"}, Outputs: []string{"models/a"}}, s.Replace("models/a", []byte(c.key))
	}}
}

func TestAStageRunsWhenSomethingChanged(t *testing.T) {
	s := newStore(t)
	c := &counted{key: "one"}
	run := func(force string) StageReport {
		t.Helper()
		r := build{store: s, times: LastRun(s, "x"), Request: Request{From: force, Warn: func(string) {}}}
		rep, err := r.run(context.Background(), c.stage(s))
		if err != nil {
			t.Fatal(err)
		}
		if rep.Read != 7 || rep.Done != 5 || rep.Aside["other_class"] != 2 || len(rep.Warnings) != 1 {
			t.Errorf("the report differs from what the stage made: %+v", rep)
		}
		return rep
	}
	for i, step := range []struct {
		what  string
		do    func()
		force string
		runs  int
	}{
		{"the first time", func() {}, "", 1},
		{"again", func() {}, "", 1},
		{"other settings", func() { c.key = "two" }, "", 2},
		{"another stage is forced", func() {}, "ingest", 2},
		{"this stage is forced", func() {}, "train", 3},
		{"its output was edited", func() { put(t, s, "models/a", "edited") }, "", 4},
		{"its output was deleted", func() { os.Remove(filepath.Join(s.Dir(), "models", "a")) }, "", 5},
		{"its memory is damaged", func() { put(t, s, memoryPath("train"), "key: [") }, "", 6},
		{"a digit of its memory is another", func() {
			data, err := s.Read(memoryPath("train"), "")
			if err != nil {
				t.Fatal(err)
			}
			data[len("key: ")+3] ^= 1
			put(t, s, memoryPath("train"), string(data))
			if faults := otherOutputs(s, nil); len(faults) != 1 || !strings.HasPrefix(faults[0].Message, memoryPath("train")+": is damaged") {
				t.Errorf("the damaged memory is not what is named: %v", faults)
			}
		}, "", 7},
		{"its memory is of an earlier version, without a digest", func() {
			m, err := readMemory(s, "train")
			if err != nil {
				t.Fatal(err)
			}
			m.Sum = ""
			data, err := yaml.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			put(t, s, memoryPath("train"), string(data))
		}, "", 7},
	} {
		step.do()
		before := c.runs
		rep := run(step.force)
		if c.runs != step.runs || rep.UpToDate != (c.runs == before) {
			t.Errorf("step %d, %s: got %d runs, up to date %v, want %d runs", i, step.what, c.runs, rep.UpToDate, step.runs)
		}
	}
}

func TestAFailedStageIsNotRemembered(t *testing.T) {
	s := newStore(t)
	c := &counted{key: "one", fail: errors.New("disk full")}
	r := build{store: s, times: LastRun(s, "x"), Request: Request{Warn: func(string) {}}}
	if _, err := r.run(context.Background(), c.stage(s)); !errors.Is(err, c.fail) {
		t.Fatalf("got %v, want %v", err, c.fail)
	}
	c.fail = nil
	if rep, err := r.run(context.Background(), c.stage(s)); err != nil || rep.UpToDate || c.runs != 2 {
		t.Errorf("after a failure: got %+v, %v, %d runs, want a second run", rep, err, c.runs)
	}
}

// A file that is checked by its own digest, and that a task remembers too, is named once.
func TestADamagedOutputIsNamedOnce(t *testing.T) {
	s := newStore(t)
	outputs := map[string]manifests.Digest{}
	for _, p := range []string{"experts/bbox.1.expert", "masks/a.png", "masks/b.png"} {
		put(t, s, p, p)
		outputs[p] = manifests.Sum([]byte(p))
	}
	text, err := memory{Outputs: outputs}.text()
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, memoryPath("transfer"), string(text))
	put(t, s, "experts/bbox.1.expert", "damaged")
	put(t, s, "masks/a.png", "damaged")
	var got []string
	for _, f := range CheckOutputs(s) {
		got = append(got, f.Message)
	}
	want := []string{"experts/bbox.1.expert: is not what transfer wrote", "masks/a.png: is not what the stage transfer wrote"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
