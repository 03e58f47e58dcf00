//go:build unix

package web

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// processor returns the time that this process has taken on all cores together.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestOpenLarge opens a picture of 6000 x 4000 pixels as a page does: what that costs the server the first time, and again for another
// browser, which has nothing of it.
func TestOpenLarge(t *testing.T) {
	if os.Getenv("HDSEG_LONG") == "" {
		t.Skip("THE COST OF A LARGE PICTURE IS NOT MEASURED: set HDSEG_LONG=1, as .ci/run does (half a minute)")
	}
	const width, height = 6000, 4000
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	im, mask := image.NewRGBA(image.Rect(0, 0, width, height)), raster.NewMask(width, height)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range width * height {
		x, y := i%width, i/width
		n := rnd.IntN(12)
		in := (x-3000)*(x-3000)+(y-2000)*(y-2000) < 1500*1500
		c := color.RGBA{uint8(60 + x/60 + n), uint8(80 + y/50 + n), uint8(50 + (x/300+y/200)%2*60 + n), 255}
		if in {
			c.R, mask.Pix[i] = c.R/2, raster.Figure
		}
		im.SetRGBA(x, y, c)
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, im, &jpeg.Options{Quality: 92}); err != nil {
		t.Fatal(err)
	}
	r := manifests.Record{ID: "large", Source: "folder", Split: manifests.Train, Tier: manifests.BBox}
	r.Image = manifests.Image{Width: width, Height: height, Format: "jpeg", Orientation: 1}
	if r.Image.Path, r.Image.SHA256, err = store.Put("images", "large", "jpg", photo.Bytes()); err != nil {
		t.Fatal(err)
	}
	k := manifests.Mask{Tier: manifests.BBox}
	if k.Path, k.SHA256, err = store.Put("masks/bbox", "large", "png", raster.EncodeMaskPNG(mask)); err != nil {
		t.Fatal(err)
	}
	r.Masks = []manifests.Mask{k}
	l := newWorldOf(t, Options{Token: false}, store, r)
	for i, name := range []string{"Ann", "Ben"} {
		v := l.visit(name, "")
		start, line := processor(t), ""
		for _, path := range []string{"", "/image?v=" + string(r.Image.SHA256), "/tiers/bbox", "/cells/1?v=" + string(r.Image.SHA256)} {
			before := processor(t)
			v.want(200, "GET", "/api/items/"+campaign.Key("large")+path, "")
			line += fmt.Sprintf(" %s %.3f,", strings.Trim(path[:min(6, len(path))], "/?"), (processor(t) - before).Seconds())
		}
		t.Logf("%s: 24 megapixels take %.2f s of processor time:%s", []string{"the first time", "again"}[i], (processor(t) - start).Seconds(), line)
	}
}
