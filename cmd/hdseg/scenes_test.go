package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// drawScenes writes n pictures of a blue and a green half, the border between which varies, in the layout of Stanford
// Background.
func drawScenes(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"images", "labels"} {
		try(t, os.MkdirAll(filepath.Join(dir, d), 0o777))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		const w, h = 96, 64
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		var labels strings.Builder
		border := 20 + rng.IntN(24)
		for y := range h {
			for x := range w {
				noise := uint8(rng.IntN(60))
				c, l := color.RGBA{noise, noise, 150 + noise, 255}, 0
				if y >= border {
					c, l = color.RGBA{noise, 150 + noise, noise, 255}, 1
				}
				img.Set(x, y, c)
				fmt.Fprintf(&labels, "%d ", l)
			}
			labels.WriteString("\n")
		}
		var b bytes.Buffer
		try(t, jpeg.Encode(&b, img, nil))
		for name, data := range map[string][]byte{fmt.Sprintf("images/%07d.jpg", i): b.Bytes(), fmt.Sprintf("labels/%07d.regions.txt", i): []byte(labels.String())} {
			try(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o666))
		}
	}
	return dir
}

// A bench of scenes writes the files that it is asked for, equal but for times with one worker and two, and refuses to compare.
func TestBenchOfScenes(t *testing.T) {
	dir, out := drawScenes(t, 6), t.TempDir()
	page, md, csv, folds := filepath.Join(out, "s.html"), filepath.Join(out, "s.md"), filepath.Join(out, "s.csv"), filepath.Join(out, "folds.txt")
	run := func(more ...string) string {
		return must(t, append([]string{"bench", "-c", "stanford", "--scenes", dir, "--cross-validate", "2", "--folds-file", folds, "--model", "linear", "--json",
			"--set", "bench.samples=20", "--set", "train.chooseFolds=0"}, more...)...)
	}
	text := run("--html", page, "--markdown", md, "--csv", csv)
	var got scenesResult
	try(t, json.Unmarshal([]byte(text), &got))
	if len(got.Rows) != 2 || len(got.Differences) != 1 || got.Rows[0].Pixel.V < 90 {
		t.Fatalf("got %d rows, %d differences and %v%% of pixels, want the halves told apart in two rows", len(got.Rows), len(got.Differences), got.Rows[0].Pixel)
	}
	pixel := got.Rows[0].Pixel.Format(1) + " (" + got.Rows[0].PixelSD.Format(1) + "; "
	for file, want := range map[string]string{page: pixel, md: "| linear | " + pixel, csv: "stanford,manual,linear,unary,"} {
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s (%v) has no %q", filepath.Base(file), err, want)
		}
	}
	one, two := untimed(t, run("-j", "1")), untimed(t, text)
	if a, b := fmt.Sprint(one), fmt.Sprint(two); a != b {
		t.Errorf("one worker: got %.300s, two: %.300s", a, b)
	}
	says(t, exitUsage, "--compare does not go with --scenes", "bench", "-c", "stanford", "--scenes", dir, "--compare", csv)
}
