package configs

import (
	"os"
	"path/filepath"
	"testing"

	"hdseg/lscrf"
)

// paper is what there is without a preset; a config and --set go before a preset.
func TestPresets(t *testing.T) {
	plain, err := Load("horseseg")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Presets() {
		got, err := p.Load("horseseg")
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Bench.Models) != 1 || got.Bench.Models[0] != p.Kind || p.Text == "" {
			t.Errorf("%s: got %v, want %s", p.Name, got.Bench.Models, p.Kind)
		}
		if same := Digest(got) == Digest(plain); same != (p.Name == "paper") {
			t.Errorf("%s: the settings are the defaults: %v", p.Name, same)
		}
		for _, spec := range got.Bench.Specs() {
			if err := spec.Trainable(got.Train, got.Feature); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		}
	}
	best, err := FindPreset("best")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(name, []byte("dataset: x\nclass: {name: cow}\ntrain: {trees: {trees: 7}}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	e, err := best.Load(name, "feature.set=draft")
	if err != nil || e.Train.Trees.Trees != 7 || e.Feature.Set != "draft" || e.Train.Trees.Leaves != "shared" || e.Bench.Models[0] != lscrf.Trees {
		t.Errorf("got %+v, %v", e, err)
	}
	e, err = best.Load(name, "dense.dir=arrays", "train.unaryWeight=5")
	if err != nil || e.Superpixel.Count != 700 || e.Train.UnaryWeight != 5 || e.Train.Trees.Trees != 7 {
		t.Errorf("with arrays: got %+v, %v, want 700 superpixels and what the file and --set say", e, err)
	}
	if _, err := FindPreset("good"); err == nil {
		t.Error("an unknown preset: got no error")
	}
}
