package configs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestEmbeddedExperimentsLoadUnderAllTheirNames(t *testing.T) {
	names := Names()
	if !slices.Equal(names, []string{"dogseg", "horseseg", "stanford"}) {
		t.Fatalf("got %q", names)
	}
	for _, n := range names {
		want, err := Load(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, alias := range []string{n + ".yaml", "configs/" + n, "configs/" + n + ".yaml"} {
			got, err := Load(alias)
			if err != nil {
				t.Fatal(err)
			}
			if Digest(got) != Digest(want) {
				t.Errorf("%s: other settings than %s", alias, n)
			}
		}
	}
}

func TestAFileGoesBeforeTheEmbeddedOneOfItsName(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("horseseg", []byte("dataset: mine\nclass: {name: cow, voc: 10}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	e, err := Load("horseseg")
	if err != nil || e.Dataset != "mine" || e.Class.VOC != 10 {
		t.Errorf("got %+v, %v, want the file", e, err)
	}
}

func TestSetChangesOneSetting(t *testing.T) {
	e, err := Load("horseseg", "transfer.pool.neighbors=7", "bench.tiers=[bbox, label]", "seed=18446744073709551615", "class.name=cow")
	if err != nil {
		t.Fatal(err)
	}
	if e.Transfer.Pool.Neighbors != 7 || !slices.Equal(e.Bench.Tiers, []string{"bbox", "label"}) || e.Seed != 1<<64-1 || e.Class.Name != "cow" || e.Class.VOC != 13 {
		t.Errorf("got %d, %v, %d, %+v", e.Transfer.Pool.Neighbors, e.Bench.Tiers, e.Seed, e.Class)
	}
	// Everything else is as it was: put the four back and compare all.
	plain, err := Load("horseseg")
	if err != nil {
		t.Fatal(err)
	}
	e.Transfer.Pool.Neighbors, e.Bench.Tiers, e.Seed, e.Class.Name = plain.Transfer.Pool.Neighbors, plain.Bench.Tiers, 0, "horse"
	if Digest(e) != Digest(plain) {
		t.Error("more changed than was set")
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"transfer.neighbours=20", "neighbours"},
		{"nowhere=1", "nowhere"},
		{"seed", "path=value"},
		{"=1", "path=value"},
		{"seed=-1", "seed"},
		{"seed=many", "seed"},
		{"train.unaryWeight=-1", "unaryWeight: got -1"},
		{"dataset=a/b", `got "a/b"`},
		{"class.voc=255", "voc: got 255"},
		{`class.name=""`, "name: got none"},
		{"class.name=", "value is missing"},
		{"bench.tiers=null", "value is missing"},
		{"labels=[sky]", "got 1"},
		{"labels=[sky, sky]", "label 1"},
		{"seed=1\n---\nseed: 2", "one YAML document"},
		{"bench.samples=0", "samples: got 0"},
	} {
		if _, err := Load("horseseg", c.set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--set %q: got %v, want %q in it", c.set, err, c.want)
		}
	}
}

func TestFilesAreReadStrictly(t *testing.T) {
	const head = "dataset: x\nclass: {name: cow, voc: 10}\n"
	for _, c := range []struct{ text, want string }{
		{head + "sed: 1\n", "line 3"},
		{head + "seed: 1\nseed: 2\n", "line 4: seed is set twice: it stands in line 3 too"},
		{head + "seed: 1\n---\nseed: 2\n", "one YAML document"},
		{head + "train:\n  lambda: much\n", "line 4"},
		{"", "dataset"}, // an empty file names nothing
	} {
		name := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(name, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q in it", c.text, err, c.want)
		}
	}
	if _, err := Load("nowhere"); err == nil || !strings.Contains(err.Error(), "horseseg") {
		t.Errorf("an unknown name: got %v, want the names that there are", err)
	}
}

// Settings of results may be of another version, but never out of range.
func TestRecordedSettings(t *testing.T) {
	const head = "dataset: x\nclass: {name: cow}\n"
	if e, err := Recorded(head + "gone: 1\nbench: {samples: 7}\n"); err != nil || e.Bench.Samples != 7 || e.Train.Lambda != defaults().Train.Lambda {
		t.Errorf("got %+v, %v", e, err)
	}
	if e, err := Recorded(""); err != nil || e.Bench.Samples != defaults().Bench.Samples {
		t.Errorf("none: got %+v, %v", e, err)
	}
	for text, want := range map[string]string{"bench: {samples: 2000000000}": "samples: got 2000000000", "train: {unaryWeight: -1}": "unaryWeight", "train: 1": "line 3"} {
		if _, err := Recorded(head + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// build --dry-run prints an experiment: read back, it must be the same one.
func TestAnExperimentIsWhatItPrints(t *testing.T) {
	for _, n := range Names() {
		want, err := Load(n)
		if err != nil {
			t.Fatal(err)
		}
		text, err := yaml.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "printed.yaml")
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if recorded, err := Recorded(string(text)); err != nil || Digest(recorded) != Digest(want) {
			t.Errorf("%s: recorded and read it differs: %v", n, err)
		}
		if again, _ := yaml.Marshal(got); string(again) != string(text) {
			t.Errorf("%s: printed, read and printed again it differs", n)
		}
	}
}

// Mistakes are told by the names that users type, with the setting that is near and what a value must be.
func TestMistakesInTheUsersTerms(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"transfer.neighbours=20", "--set transfer.neighbours=20: transfer.neighbours is no setting; did you mean transfer.pool.neighbors?"},
		{"superpixel.cuont=20", "superpixel.cuont is no setting; did you mean superpixel.count?"},
		{"feature=saliency", `feature: got "saliency", want settings with their values, such as set: draft`},
		{"features.set=draft", "features is no setting; did you mean feature?"},
		{"zzzzzzzz=1", "zzzzzzzz is no setting; hdseg help settings lists all"},
		{"seed.x=1", "seed: got settings below it, want a whole number of 0 or more"},
		{"superpixel.count=many", `superpixel.count: got "many", want a whole number`},
		{"superpixel.count=1.5", "superpixel.count: got 1.5, want a whole number"},
		{"seed=-1", "seed: got -1, want a whole number of 0 or more"},
		{"train.lambda=[1]", "train.lambda: got a list, want a number"},
		{"train.treeFeatures.autoContext=maybe", `train.treeFeatures.autoContext: got "maybe", want true or false`},
		{"bench.tiers=manual", `bench.tiers: got "manual", want a list, such as ["manual"]`},
		{"transfer.pool.neighbors=-1", "transfer.pool.neighbors: got -1"},
		{"ingest.object=some", `ingest.object: got "some", want union`},
		{"train.trees.depth=9", "train.trees.depth: got 9, want 1..8"},
	} {
		_, err := Load("horseseg", c.set)
		if err == nil || !strings.HasPrefix(err.Error(), "--set") || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "*{") ||
			strings.Contains(err.Error(), "line ") {
			t.Errorf("--set %s: got %v, want %q in it", c.set, err, c.want)
		}
	}
	name := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(name, []byte(`dataset: x
class: {name: cow, vok: 10}
train: &t
  lambda: much
  trees:
    dept: 3
bench: 5
transfer:
`), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Load(name)
	want := "config " + name + `: line 2: class.vok is no setting; did you mean class.voc?
line 4: train.lambda: got "much", want a number
line 6: train.trees.dept is no setting; did you mean train.trees.depth?
line 7: bench: got 5, want settings with their values, such as tiers: [manual, 'manual,bbox', 'manual,bbox,label', bbox, label]`
	if err == nil || strings.TrimSpace(err.Error()) != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
