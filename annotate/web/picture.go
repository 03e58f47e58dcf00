package web

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"slices"
	"sync"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// thumbSide is the longer side of a thumbnail in pixels.
const thumbSide = 220

// A pictures cache decodes the pictures that people are looking at. Pages get them upright, without
// EXIF data and colour profile, so that no browser can show other pixels than the masks were drawn
// on.
type pictures struct {
	store *manifests.Store

	mu    sync.Mutex
	byKey map[string]*picture
	used  lru // of byKey
	most  int64
}

type picture struct {
	once  sync.Once
	bytes int64
	rgb   *raster.RGB
	err   error
}

// keptBytes bounds the decoded pictures that are kept: one of 24 megapixels, or a hundred of the
// usual 500 x 375. The one asked for last is kept whatever its size.
const keptBytes = 80 << 20

func newPictures(s *manifests.Store) *pictures {
	return &pictures{store: s, byKey: map[string]*picture{}, most: keptBytes}
}

// get returns the upright picture, which nobody may change.
func (ps *pictures) get(it *campaign.Item) (*raster.RGB, error) {
	ps.mu.Lock()
	p := ps.byKey[it.Key]
	if p == nil {
		p = &picture{bytes: 3 * int64(it.Record.Image.Width) * int64(it.Record.Image.Height)}
		ps.byKey[it.Key] = p
	}
	ps.used.use(it.Key, p.bytes)
	for _, k := range ps.used.over(ps.most) {
		delete(ps.byKey, k)
	}
	ps.mu.Unlock()
	p.once.Do(func() {
		defer load.Hold(it.Record, raster.Decoding)()
		if p.rgb, p.err = load.Image(ps.store, it.Record); p.err != nil {
			ps.forget(it.Key, p)
		}
	})
	return p.rgb, p.err
}

// forget lets the next one try again.
func (ps *pictures) forget(key string, p *picture) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.byKey[key] == p {
		delete(ps.byKey, key)
		ps.used.drop(key)
	}
}

// An lru tells which of some things that are kept was used the longest ago. The zero value is
// ready.
type lru struct {
	order []used // least recently used first
	bytes int64  // of all
}

type used struct {
	key   string
	bytes int64
}

// use notes the use of a thing that takes so many bytes.
func (l *lru) use(key string, bytes int64) {
	l.drop(key)
	l.order = append(l.order, used{key, bytes})
	l.bytes += bytes
}

func (l *lru) drop(key string) {
	if i := slices.IndexFunc(l.order, func(u used) bool { return u.key == key }); i >= 0 {
		l.bytes -= l.order[i].bytes
		l.order = slices.Delete(l.order, i, i+1)
	}
}

// over drops what was used the longest ago until the others take no more than most bytes, and
// returns its keys. What was used last stays.
func (l *lru) over(most int64) (keys []string) {
	for l.bytes > most && len(l.order) > 1 {
		keys = append(keys, l.order[0].key)
		l.drop(l.order[0].key)
	}
	return keys
}

// encodeJPEG returns the picture as the page shows it.
func encodeJPEG(m *raster.RGB, quality int) ([]byte, error) {
	var b bytes.Buffer
	im := m.Image()
	opaque := &image.RGBA{Pix: im.Pix, Stride: im.Stride, Rect: im.Rect} // encodes twice as fast
	err := jpeg.Encode(&b, opaque, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}

// answersBytes bounds the answers that are kept: the picture and its superpixels of three pictures
// of 24 megapixels, or of a hundred of the usual 500 x 375.
const answersBytes = 32 << 20

// answers keeps what was made of pictures for pages, so that it is there at once for the next one.
type answers struct {
	mu    sync.Mutex
	byKey map[string][]byte
	used  lru // of byKey
}

// get returns what was kept under a key, or makes it.
func (a *answers) get(key string, make func() ([]byte, error)) ([]byte, error) {
	a.mu.Lock()
	data, ok := a.byKey[key]
	if ok {
		a.used.use(key, int64(len(data)))
	}
	a.mu.Unlock()
	if ok {
		return data, nil
	}
	data, err := make()
	if err != nil || int64(len(data)) > answersBytes {
		return data, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.byKey[key]; ok { // another request made it meanwhile
		return data, nil
	}
	a.byKey[key] = data
	a.used.use(key, int64(len(data)))
	for _, k := range a.used.over(answersBytes) { // which none is by itself
		delete(a.byKey, k)
	}
	return data, nil
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
