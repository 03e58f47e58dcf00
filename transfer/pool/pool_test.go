package pool

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hdseg/manifests/raster"
)

// randomPool has n records of one window each (and its mirror image): a bright bar at a random place.
func randomPool(r *rand.Rand, n int) *Pool {
	p := New(Defaults())
	for i := range n {
		im, m := bar(r)
		add(p, fmt.Sprintf("r%02d", i), im, m)
	}
	return p
}

// add makes the objects of a mask sources.
func add(p *Pool, id string, im *raster.RGB, m *raster.Mask) {
	for _, r := range Windows(m, p.o.MinAreaPx) {
		p.AddWindow(id, im, m, r)
	}
}

func bar(r *rand.Rand) (*raster.RGB, *raster.Mask) {
	im, m := raster.NewRGB(60, 50), raster.NewMask(60, 50)
	for i := range im.Pix {
		im.Pix[i] = uint8(r.IntN(40))
	}
	x0, y0 := 5+r.IntN(10), 5+r.IntN(10)
	x1, y1 := x0+20+r.IntN(20), y0+20+r.IntN(15)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			if (x+y)%20 < 15 {
				im.Set(x, y, 200, 180, 160)
			}
			m.Set(x, y, raster.Figure)
		}
	}
	return im, m
}

func TestCodec(t *testing.T) {
	p := randomPool(rand.New(rand.NewPCG(3, 3)), 4)
	data := p.Encode()
	q, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(q.Encode(), data) {
		t.Error("what was decoded encodes to other bytes")
	}
	for name, bad := range map[string][]byte{
		"empty": nil, "cut in the magic": data[:5], "cut in the header": data[:40], "cut in the masks": data[:len(data)-1],
		"too long": append(slices.Clone(data), 0), "not a number": func() []byte {
			d := slices.Clone(data)
			copy(d[len(d)-8*(4*descSize+4096):], []byte{0, 0, 0xc0, 0x7f})
			return d
		}(),
		"another constant": bytes.Replace(data, []byte(`"Lambda":0.25`), []byte(`"Lambda":0.35`), 1),
	} {
		if _, err := Decode(bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAppendEqualsAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	whole, parts := New(Defaults()), New(Defaults())
	for i := range 3 {
		im, m := bar(r)
		add(whole, fmt.Sprint(i), im, m)
		one := New(Defaults())
		add(one, fmt.Sprint(i), im, m)
		parts.Append(one)
	}
	if !bytes.Equal(whole.Encode(), parts.Encode()) {
		t.Error("pools of single records appended differ from one pool")
	}
}

func FuzzDecode(f *testing.F) {
	data := randomPool(rand.New(rand.NewPCG(5, 5)), 1).Encode()
	f.Add(data)
	f.Add(data[:60])
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := Decode(data); err == nil {
			if _, err := Decode(p.Encode()); err != nil {
				t.Error(err)
			}
		}
	})
}
