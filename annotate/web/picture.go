package web

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"slices"
	"sync"

	"hdseg/annotate/campaign"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// thumbSide is the longer side of a thumbnail in pixels.
const thumbSide = 220

// What is kept: decoded pictures, and what was made of pictures for pages, so that it is there at
// once for the next one.
const (
	pictureBytes = 80 << 20 // one of 24 megapixels, or a hundred of the usual 500 x 375
	arrayBytes   = 40 << 20 // about ten of the built-in network
	answerBytes  = 32 << 20 // picture and superpixels of three of 24 megapixels, or of a hundred
)

// picture returns the upright picture of an item, which nobody may change. Pages get pictures so,
// without EXIF data and colour profile, that no browser can show other pixels than the masks were
// drawn on.
func (s *Server) picture(it *campaign.Item) (*raster.RGB, error) {
	return s.pictures.get(it.Key, func() (*raster.RGB, error) {
		defer load.Hold(it.Record, raster.Decoding)()
		return load.Image(s.campaign.Store, it.Record)
	})
}

// A cache keeps what was used last, up to so many bytes. What was asked for last stays whatever its
// size.
type cache[T any] struct {
	most int64
	size func(T) int

	mu    sync.Mutex
	byKey map[string]*cached[T]
	order []string // keys of what was made, the least recently used first
	bytes int64    // of all in order
}

type cached[T any] struct {
	once  sync.Once
	value T
	err   error
}

func newCache[T any](most int64, size func(T) int) *cache[T] {
	return &cache[T]{most: most, size: size, byKey: map[string]*cached[T]{}}
}

// get returns what is kept under a key, or makes it, once for all who ask meanwhile. After an error
// the next one tries again.
func (c *cache[T]) get(key string, make func() (T, error)) (T, error) {
	c.mu.Lock()
	k := c.byKey[key]
	if k == nil {
		k = &cached[T]{}
		c.byKey[key] = k
	}
	c.mu.Unlock()
	k.once.Do(func() { k.value, k.err = make() })
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drop(key); k.err != nil {
		return k.value, k.err
	}
	c.byKey[key], c.order = k, append(c.order, key)
	c.bytes += int64(c.size(k.value))
	for c.bytes > c.most && len(c.order) > 1 {
		c.drop(c.order[0])
	}
	return k.value, nil
}

func (c *cache[T]) drop(key string) {
	if i := slices.Index(c.order, key); i >= 0 {
		c.bytes -= int64(c.size(c.byKey[key].value))
		c.order = slices.Delete(c.order, i, i+1)
	}
	delete(c.byKey, key)
}

// encodeJPEG returns the picture as the page shows it.
func encodeJPEG(m *raster.RGB, quality int) ([]byte, error) {
	var b bytes.Buffer
	im := m.Image()
	opaque := &image.RGBA{Pix: im.Pix, Stride: im.Stride, Rect: im.Rect} // encodes twice as fast
	err := jpeg.Encode(&b, opaque, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}

// thumbnail returns a small picture with its mask in color.
func thumbnail(im *raster.RGB, mask *raster.Mask) *raster.RGB {
	f := min(1, thumbSide/float64(max(im.Width, im.Height)))
	w, h := max(1, int(math.Round(f*float64(im.Width)))), max(1, int(math.Round(f*float64(im.Height))))
	out := raster.Shown(im, w, h)
	if mask == nil {
		return out
	}
	small := raster.ResizeNearest(mask, w, h)
	for i, v := range small.Pix {
		px := out.Pix[3*i : 3*i+3]
		switch v {
		case raster.Figure:
			tint(px, [3]int{255, 40, 150}, 45)
		case raster.Void:
			tint(px, [3]int{70, 200, 255}, 45)
		}
	}
	return out
}

func tint(px []uint8, color [3]int, percent int) {
	for c := range px {
		px[c] = uint8((int(px[c])*(100-percent) + color[c]*percent) / 100)
	}
}
