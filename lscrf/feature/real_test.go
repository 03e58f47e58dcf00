//go:build unix

package feature

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"hdseg/ingest/raster"
	"hdseg/lscrf/superpixel"
)

// used returns the processor time that this process has used.
func used() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// TestRealSIFT prints what `peers.py sift` prints for OpenCV: the same 40 test horses, the same 342 points each, the
// median processor time of five runs on one core. A key point of size 8 has bins of 12 px, one of size 16 bins of 24.
func TestRealSIFT(t *testing.T) {
	if os.Getenv("HDSEG_REAL") != "1" {
		t.Skip("SKIPPED: measures on real data for some seconds; set HDSEG_REAL=1 to run it")
	}
	dir := os.Getenv("HDSEG_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "test", "horse", "images", "*.jpg"))
	if len(files) < 40 {
		t.Skipf("SKIPPED: no real data: set HDSEG_DATA (looked in %s)", dir)
	}
	slices.Sort(files)
	var imgs []*raster.RGB
	var grays [][]float32
	var maps []*superpixel.Map
	for _, f := range files[:40] {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := raster.Decode(data, raster.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		imgs, grays = append(imgs, img), append(grays, raster.Gray(img))
		maps = append(maps, superpixel.SLIC(img, superpixel.Defaults()))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	measure := func(name string, f func(i int)) {
		var times []time.Duration
		for range 6 {
			start := used()
			for i := range imgs {
				f(i)
			}
			times = append(times, used()-start)
		}
		slices.Sort(times[1:]) // the first warms up
		t.Logf("%-44s cpu %7.3f ms per image", name, times[1:][2].Seconds()/float64(len(imgs))*1e3)
	}
	var at []point
	for y := range 18 {
		for x := range 19 {
			at = append(at, point{10 + x*310/18, 10 + y*290/17})
		}
	}
	out := make([]float32, 128*len(at))
	for _, c := range []struct {
		name  string
		bin   int
		sigma float64
	}{
		{"hdseg SIFT, 342 points, default", Defaults().SIFTBin, Defaults().SIFTSigma},
		{"hdseg SIFT, 342 points, as OpenCV's size 8", 12, 1.52},
		{"hdseg SIFT, 342 points, as OpenCV's size 16", 24, 1.52},
	} {
		o := Defaults()
		o.SIFTBin, o.SIFTSigma = c.bin, c.sigma
		measure(c.name, func(i int) {
			sift(out, 128, grays[i], imgs[i].Width, imgs[i].Height, clip(at, imgs[i]), o)
		})
	}
	measure("hdseg draft features of 350 superpixels", func(i int) { Extract(imgs[i], maps[i], Defaults()) })
}

// clip moves points that lie outside a small picture to its border, so that all pictures have equally many.
func clip(at []point, img *raster.RGB) []point {
	at = slices.Clone(at)
	for i := range at {
		at[i].x, at[i].y = min(at[i].x, img.Width-1), min(at[i].y, img.Height-1)
	}
	return at
}
