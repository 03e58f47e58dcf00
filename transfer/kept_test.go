package transfer

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// learnedIn runs transfer and returns what it made and the phases in which it learned.
func learnedIn(t *testing.T, m *manifests.Manifest, store *manifests.Store, o Options) (res *Result, phases []string) {
	t.Helper()
	res, err := Run(context.Background(), m, store, o, 2, func(phase string) func(done, total int) {
		if !strings.HasPrefix(phase, "cutting out") {
			phases = append(phases, phase)
		}
		return func(int, int) {}
	})
	if err != nil {
		t.Fatal(err)
	}
	return res, phases
}

// New pictures are cut out with what was learned before, without the journal of the first run. Other settings, other sources and a damaged file are
// learned anew, and the newest experts of a tier stay.
func TestExpertsAreKept(t *testing.T) {
	m, store, truth := world(t, t.TempDir())
	m.Version = manifests.Version
	first, phases := learnedIn(t, m, store, small())
	if len(phases) == 0 || len(first.Experts) != 2 {
		t.Fatalf("the first run learned in %q, with experts %q", phases, first.Experts)
	}
	if err := os.RemoveAll(filepath.Join(store.Dir(), ".work")); err != nil {
		t.Fatal(err)
	}
	truth["new"] = addBeast(t, m, store, rand.New(rand.NewPCG(1, 1)), "new", manifests.Train, manifests.Label)
	second, phases := learnedIn(t, m, store, small())
	if len(phases) > 0 || !slices.Equal(second.Experts, first.Experts) {
		t.Errorf("with a new picture it learned in %q, with experts %q, want %q", phases, second.Experts, first.Experts)
	}
	last := len(m.Records) - 1
	if _, ok := second.Manifest.Records[last].MaskOf(manifests.Label); !ok || !reflect.DeepEqual(second.Manifest.Records[:last], first.Manifest.Records) {
		t.Error("the new picture has no mask, or others have another one")
	}
	if c, _, err := newCutter(context.Background(), m, store, small(), 2, func(phase string) func(done, total int) {
		if strings.Contains(phase, "second look") {
			t.Errorf("the cutter learns what the tier bbox has learned: %s", phase)
		}
		return func(int, int) {}
	}); err != nil || c.scenes.second == nil {
		t.Errorf("cutter: %v", err)
	}

	for _, p := range first.Experts {
		name, err := store.Path(p)
		if err != nil {
			t.Fatal(err)
		}
		was, err := os.ReadFile(name)
		if err != nil || CheckExpert(was) != nil {
			t.Fatal(err, CheckExpert(was))
		}
		bad := slices.Clone(was)
		bad[len(bad)/2] ^= 1
		if err := os.WriteFile(name, bad, 0o666); err != nil || CheckExpert(bad) == nil {
			t.Fatalf("%v; a flipped bit is not noticed: %v", err, CheckExpert(bad) == nil)
		}
		res, phases := learnedIn(t, m, store, small())
		if want := p + ": was not what transfer wrote, and was learned again"; !slices.Equal(res.Mended, []string{want}) || len(first.Mended) > 0 {
			t.Errorf("got the lines %q, want %q, and none of the first run: %q", res.Mended, want, first.Mended)
		}
		if now, err := os.ReadFile(name); len(phases) == 0 || err != nil || !slices.Equal(now, was) {
			t.Errorf("%s was damaged: learned in %q; mended: %v, %v", p, phases, slices.Equal(now, was), err)
		}
	}

	for i := range mostExperts + 1 {
		o := small()
		o.ClassModel, o.ModelWindows = false, 20+i
		if _, phases := learnedIn(t, m, store, o); len(phases) == 0 {
			t.Errorf("nothing is learned with other settings: %d windows", o.ModelWindows)
		}
	}
	o := small()
	o.ClassModel, o.ModelWindows = false, 20+mostExperts
	i := slices.IndexFunc(m.Records, func(r manifests.Record) bool { return r.Tier == manifests.Manual })
	m.Records = slices.Delete(m.Records, i, i+1)
	if _, phases := learnedIn(t, m, store, o); len(phases) == 0 {
		t.Error("nothing is learned with other sources")
	}
	for _, tier := range []string{"bbox", "label"} {
		if list, _ := filepath.Glob(filepath.Join(store.Dir(), ExpertsDir, tier+".*")); len(list) != mostExperts {
			t.Errorf("%s: %d experts are kept, want %d", tier, len(list), mostExperts)
		}
	}
}
