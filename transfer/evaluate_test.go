package transfer

import (
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// writeTruth writes a mask as the shared data has them: 0, 255 and 128 for void.
func writeTruth(t *testing.T, name string, m *raster.Mask) {
	t.Helper()
	g := image.NewGray(image.Rect(0, 0, m.Width, m.Height))
	for i, v := range m.Pix {
		g.Pix[i] = map[uint8]uint8{raster.Ground: 0, raster.Figure: 255, raster.Void: 128}[v]
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, g); err != nil {
		t.Fatal(err)
	}
}

// truth 1 1 0 0 1, mask 1 0 0 1 1 with the last pixel void: one hit, one miss, one false alarm.
func TestConfusion(t *testing.T) {
	truth := &raster.Mask{Pix: []uint8{1, 1, 0, 0, 255}, Width: 5, Height: 1}
	mask := &raster.Mask{Pix: []uint8{1, 0, 0, 1, 1}, Width: 5, Height: 1}
	c := confusion(truth, mask)
	if c != [2][2]int{{1, 1}, {1, 1}} {
		t.Errorf("got %v, want one of each", c)
	}
	if got := iou(c); got != 1.0/3 {
		t.Errorf("IoU: got %g, want 1/3", got)
	}
	if got := iou([2][2]int{{5, 0}, {0, 0}}); got != 1 {
		t.Errorf("IoU of nothing against nothing: got %g, want 1", got)
	}
}

// A true mask is found by the record's id, by the name of the picture's own file and by that of annotation; what is void throughout counts as none.
func TestTruthOf(t *testing.T) {
	dir := t.TempDir()
	some := &raster.Mask{Pix: []uint8{raster.Figure, raster.Void}, Width: 2, Height: 1}
	none := &raster.Mask{Pix: []uint8{raster.Void, raster.Void}, Width: 2, Height: 1}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*raster.Mask{
		"n01_1.png": some, "b3 ü,\"x.png": some, filepath.Join("sub", "a.png"): some, "c-20d~" + manifests.Sum([]byte("c%20d")).Short() + ".png": some,
		"void.png": none, "..%2Fe.png": some,
	} {
		writeTruth(t, filepath.Join(dir, name), m)
	}
	for id, want := range map[string]bool{
		"n01_1": true, "b3%20%C3%BC%2C%22x": true, "sub%2Fa": true, "c%20d": true, "..%2Fe": true, // by its id: nothing is looked for outside of the folder
		"void": false, "n01_2": false, "nul%00": false, "%2e%2e%2Fn01_1": false,
	} {
		if got, err := truthOf(&manifests.Record{ID: id}, dir); err != nil || (got != nil) != want {
			t.Errorf("%s: got %v, %v, want a mask: %v", id, got, err, want)
		}
	}
}

// Predicted 1 2 3 4, true 1 2 4 3 (in tenths):
// Spearman 1 - 6·2/(4·15) = 0.8; The best three by prediction are
// 0.2, 0.4 and 0.3. Equal predictions have no rank.
func TestRankCorrelation(t *testing.T) {
	scores := []Score{{Quality: 0.1, IoU: 0.1}, {Quality: 0.2, IoU: 0.2}, {Quality: 0.3, IoU: 0.4}, {Quality: 0.4, IoU: 0.3}}
	if got := rankCorrelation(scores); !got.OK || math.Abs(got.V-0.8) > 1e-12 {
		t.Errorf("got %v, want 0.8", got)
	}
	if got := best(scores, 0.75, predicted); math.Abs(got.V-0.3) > 1e-12 { // 0.2, 0.4 and 0.3
		t.Errorf("best three: got %v, want 0.3", got)
	}
	if got := best(scores, 0.5, actual); math.Abs(got.V-0.35) > 1e-12 { // 0.4 and 0.3
		t.Errorf("truly best two: got %v, want 0.35", got)
	}
	for i := range scores {
		scores[i].Quality = 0.5
	}
	if got := rankCorrelation(scores); got.OK {
		t.Errorf("equal predictions: got %v, want none", got)
	}
}
