package feature

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/manifests/raster"
)

// python returns an interpreter that has the given module: $HDSEG_PYTHON, or python3. It skips the test if there is none.
func python(t *testing.T, module string) string {
	name := os.Getenv("HDSEG_PYTHON")
	if name == "" {
		name = "python3"
	}
	if out, err := exec.Command(name, "-c", "import "+module).CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Skipf("SKIPPED: %s cannot import %s (set HDSEG_PYTHON to one that can): %v: %s", name, module, err, lines[len(lines)-1])
	}
	return name
}

// OpenCV's descriptors at fixed upright key points are ours: a key point of size s has bins of 1.5*s px and lies in
// the picture smoothed from sigma 0.5 to 1.6. OpenCV counts angles counterclockwise, y upwards, so its orientation o is our
// 8-o, and leaves samples beyond the picture out, so the points keep clear of the border.
//
// It computes exponentials and angles by tables, so bytes differ a little: at most by 2, and the correlation is at least
// 0.9999 at every point.
func TestOpenCV(t *testing.T) {
	py := python(t, "cv2")
	const w, h = 160, 130
	img := peer.Scene(w, h, 3)
	g := image.NewGray(image.Rect(0, 0, w, h))
	gray := make([]float32, w*h)
	for i, v := range raster.Gray(img) {
		g.Pix[i] = uint8(v + 0.5)
		gray[i] = float32(g.Pix[i])
	}
	file := filepath.Join(t.TempDir(), "gray.png")
	var buf bytes.Buffer
	if err := png.Encode(&buf, g); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bin := range []int{6, 12} {
		var at []point
		args := []string{"testdata/sift.py", file, strconv.FormatFloat(float64(bin)/1.5, 'g', -1, 64)}
		for y := 45; y <= h-45; y += 13 {
			for x := 45; x <= w-45; x += 11 {
				at = append(at, point{x, y})
				args = append(args, strconv.Itoa(x)+","+strconv.Itoa(y))
			}
		}
		rows := strings.Split(strings.TrimSpace(peer.Run(t, py, args...)), "\n")
		if len(rows) != len(at) {
			t.Fatalf("got %d rows, want %d", len(rows), len(at))
		}
		o := Defaults()
		o.SIFTBin, o.SIFTRange = bin, RangeA
		o.SIFTSigma = math.Sqrt(1.6*1.6 - 0.5*0.5)
		ours := make([]float32, 128*len(at))
		sift(ours, 128, gray, w, h, at, o)
		worst, least := 0.0, 1.0
		for i := range at {
			var sx, sy, sxx, syy, sxy float64
			fields := strings.Fields(rows[i])
			for k := range 128 {
				theirs, err := strconv.ParseFloat(fields[k&^7+(8-k&7)&7], 64)
				if err != nil {
					t.Fatal(err)
				}
				own := math.Pow(float64(ours[128*i+k]), 2)
				worst = max(worst, math.Abs(own-theirs))
				sx, sy, sxx, syy, sxy = sx+own, sy+theirs, sxx+own*own, syy+theirs*theirs, sxy+own*theirs
			}
			least = min(least, (sxy-sx*sy/128)/math.Sqrt((sxx-sx*sx/128)*(syy-sy*sy/128)))
		}
		t.Logf("bin %d px, %d points: largest difference %.0f of 255, least correlation %.6f", bin, len(at), worst, least)
		if worst > 2 || least < 0.9999 {
			t.Errorf("bin %d: largest difference %.1f, least correlation %.6f; want at most 2 and at least 0.9999", bin, worst, least)
		}
	}
}
