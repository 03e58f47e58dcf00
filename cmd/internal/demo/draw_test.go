package demo

import (
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// small is a world that is drawn in a tenth of a second.
func small() Options {
	return Options{Seed: 3, Class: "horse", Manual: 8, Others: 3, Boxes: 8, Labels: 4, Tests: 5, LongPx: 120}
}

// The default world, drawn once for all tests that only read it.
var drawDefault = sync.OnceValues(func() (World, error) {
	return Draw(filepath.Join(scratch, "default"), Defaults(), nil)
})

var scratch string // removed when all tests are done

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "demo-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

func defaultWorld(t *testing.T) World {
	t.Helper()
	w, err := drawDefault()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// drawIn draws a world in a new folder.
func drawIn(t *testing.T, o Options) (string, World) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "world")
	w, err := Draw(dir, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir, w
}

// contents returns the files below a folder by their paths.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// decode reads a picture file.
func decode(t *testing.T, file string) image.Image {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read := jpeg.Decode
	if strings.HasSuffix(file, ".png") {
		read = png.Decode
	}
	m, err := read(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return m
}

func list(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestDrawGivesTheSameBytesOnAnyNumberOfProcessors(t *testing.T) {
	for _, class := range []string{"horse", "dog"} {
		o := small()
		o.Class, o.Faults = class, true
		first, _ := drawIn(t, o)
		before := runtime.GOMAXPROCS(1)
		second, _ := drawIn(t, o)
		runtime.GOMAXPROCS(before)
		if !maps.Equal(contents(t, first), contents(t, second)) {
			t.Errorf("%s: two drawings differ", class)
		}
		o.Seed++
		third, _ := drawIn(t, o)
		if a, b := contents(t, first), contents(t, third); a["imagenet/"+species[class].synset+".tar"] == b["imagenet/"+species[class].synset+".tar"] {
			t.Errorf("%s: another seed drew the same world", class)
		}
	}
}

func TestDrawReportsEveryPicture(t *testing.T) {
	o := small()
	var seen []int
	_, err := Draw(filepath.Join(t.TempDir(), "w"), o, func(done, total int) {
		if total != 8+3+8+4+5 {
			t.Errorf("total: got %d, want 28", total)
		}
		seen = append(seen, done)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int, 28)
	for i := range want {
		want[i] = i + 1
	}
	if !slices.Equal(seen, want) {
		t.Errorf("progress: got %v, want 1..28", seen)
	}
}

func TestDefaultWorldHasItsCountsAndShares(t *testing.T) {
	w := defaultWorld(t)
	if n := len(list(t, filepath.Join(w.VOCDir, "JPEGImages", "*.jpg"))); n != 24+6 {
		t.Errorf("VOC pictures: got %d, want 30", n)
	}
	if n := len(list(t, filepath.Join(w.TestDir, "images", "*.jpg"))); n != 20 {
		t.Errorf("test pictures: got %d, want 20", n)
	}
	masks := list(t, filepath.Join(w.TestDir, "masks", "*.png"))
	truths := list(t, filepath.Join(w.TruthDir, "*.png"))
	if len(masks) != 20 || len(truths) != 24+16 {
		t.Fatalf("masks: got %d of tests and %d of ImageNet pictures, want 20 and 40", len(masks), len(truths))
	}
	for _, file := range append(masks, truths...) {
		m, ok := decode(t, file).(*image.Gray)
		if !ok {
			t.Fatalf("%s: want an 8-bit gray PNG", file)
		}
		var n [256]int
		for _, v := range m.Pix {
			n[v]++
		}
		void := 0
		if strings.HasPrefix(file, w.TruthDir) {
			if void = n[128]; void == 0 {
				t.Errorf("%s: no pixel is partly covered", file)
			}
		}
		if n[0]+n[255]+void != len(m.Pix) {
			t.Errorf("%s: got values beside 0 and 255", file)
		}
		if share := float64(n[255]) / float64(len(m.Pix)); share < 0.03 || share > 0.6 {
			t.Errorf("%s: the figure covers %.3f of the picture, want 0.03 to 0.6", file, share)
		}
	}
	for _, file := range masks {
		pic := decode(t, strings.NewReplacer("masks", "images", ".png", ".jpg").Replace(file))
		if size := pic.Bounds().Size(); size != decode(t, file).Bounds().Size() || max(size.X, size.Y) > 320 {
			t.Errorf("%s: the picture has size %v, want the mask's and at most 320", file, size)
		}
		if pic.ColorModel() != color.YCbCrModel {
			t.Errorf("%s: want a colour JPEG", file)
		}
	}
}
