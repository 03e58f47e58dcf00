package web

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hdseg/ingest/raster"
	"hdseg/lscrf/superpixel"
)

func TestTune(t *testing.T) {
	root := "../../../shared/data/VOCdevkit/VOC2012"
	files, _ := filepath.Glob(root + "/SegmentationClass/*.png")
	var ims []*raster.RGB
	var masks []*raster.Mask
	for _, f := range files {
		data, _ := os.ReadFile(f)
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			continue
		}
		p, ok := img.(*image.Paletted)
		if !ok {
			continue
		}
		m := raster.NewMask(p.Rect.Dx(), p.Rect.Dy())
		n := 0
		for i := range m.Pix {
			switch p.Pix[i/m.Width*p.Stride+i%m.Width] {
			case 13:
				m.Pix[i] = 1
				n++
			case 255:
				m.Pix[i] = 255
			}
		}
		if n < 1000 {
			continue
		}
		jd, err := os.ReadFile(root + "/JPEGImages/" + filepath.Base(f[:len(f)-4]) + ".jpg")
		if err != nil {
			continue
		}
		im, _, err := raster.Decode(jd, raster.DefaultLimits())
		if err != nil || im.Width != m.Width {
			continue
		}
		ims = append(ims, im)
		masks = append(masks, m)
		if len(ims) == 16 {
			break
		}
	}
	for _, counts := range [][]int{{60, 250, 1000}, {40, 200, 800}, {30, 120, 600}, {80, 300, 1000}, {25, 100, 400, 1600}} {
		for _, comp := range []float64{2, 4, 7} {
			var clicks []int
			for k, im := range ims {
				var maps []*superpixel.Map
				for _, c := range counts {
					o := superpixel.Defaults()
					o.Method, o.Count, o.BorderCompactness = "ward", c, comp
					maps = append(maps, superpixel.Segment(im, o))
				}
				n, _ := greedyCells(maps, masks[k], 0.9, 200)
				clicks = append(clicks, n)
			}
			slices.Sort(clicks)
			fmt.Println(counts, comp, "median", clicks[len(clicks)/2], clicks)
		}
	}
}

// greedyCells clicks, each time, the cell of any map and the label that raise the IoU most.
func greedyCells(maps []*superpixel.Map, truth *raster.Mask, want float64, most int) (clicks int, iou float64) {
	cur := make([]uint8, len(truth.Pix))
	inter, union := 0, 0
	for _, v := range truth.Pix {
		if v == 1 {
			union++
		}
	}
	for clicks < most && float64(inter) < want*float64(union) {
		best, bi, bu := -1.0, 0, 0
		var bm *superpixel.Map
		var bc int32
		var bl uint8
		for _, sp := range maps {
			di := make([][2]int, sp.N) // change if painted figure: inter, union
			de := make([][2]int, sp.N) // if painted ground
			for i, c := range sp.Labels {
				t := truth.Pix[i]
				if t == 255 {
					continue
				}
				switch {
				case cur[i] == 0 && t == 1:
					di[c][0]++
				case cur[i] == 0:
					di[c][1]++
				case t == 1:
					de[c][0]--
				default:
					de[c][1]--
				}
			}
			for c := range sp.N {
				for l, d := range [2][2]int{de[c], di[c]} {
					if s := float64(inter+d[0]) / float64(union+d[1]); s > best {
						best, bi, bu, bm, bc, bl = s, inter+d[0], union+d[1], sp, int32(c), uint8(l)
					}
				}
			}
		}
		if best <= float64(inter)/float64(union) {
			break
		}
		inter, union = bi, bu
		for i, c := range bm.Labels {
			if c == bc {
				cur[i] = bl
			}
		}
		clicks++
	}
	return clicks, float64(inter) / float64(union)
}
