package pool

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
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

func TestNearestIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	p := randomPool(r, 25)
	queries := make([]float32, 0, 20*p.size)
	for range 20 { // more than one tile
		im, m := bar(r)
		queries = append(queries, p.Describe(im, Windows(m, 1)[0])...)
	}
	exclude := func(id string) bool { return id == "r03" || id == "r04" }
	for q, got := range p.Nearest(queries, 7, exclude) {
		type hit struct {
			w int
			d float64
		}
		var want []hit
		for i := range p.Len() {
			if exclude(p.windows[i].ID) {
				continue
			}
			var d float64
			for j, a := range queries[q*p.size:][:p.size] {
				e := float64(a) - float64(p.desc[i*p.size+j])
				d += e * e
			}
			want = append(want, hit{i, d})
		}
		slices.SortFunc(want, func(a, b hit) int { return cmp.Compare(a.d, b.d) })
		for k, n := range got {
			if math.Abs(float64(n.Distance)-want[k].d) > 1e-5 {
				t.Errorf("query %d: neighbour %d: got window %d at %g, want %d at %g", q, k, n.Window, n.Distance, want[k].w, want[k].d)
			}
		}
		if len(got) != 7 {
			t.Errorf("query %d: got %d neighbours, want 7", q, len(got))
		}
	}
	if got := p.Nearest(queries[:p.size], 1000, nil)[0]; len(got) != p.Len() {
		t.Errorf("k beyond the pool: got %d, want %d", len(got), p.Len())
	}
}

// A window that is itself in the pool gets its own mask back.
func TestVote(t *testing.T) {
	p := randomPool(rand.New(rand.NewPCG(2, 2)), 10)
	pr := p.Vote(p.Nearest(p.descriptor(6), 1, nil)[0])
	if len(pr.Voters) != 1 || pr.Voters[0].ID != "r03" {
		t.Fatalf("got voters %v, want r03", pr.Voters)
	}
	for i, v := range pr.Soft {
		if want := float32(p.masks[6*64*64+i]) / 255; math.Abs(float64(v-want)) > 1e-6 {
			t.Fatalf("cell %d: got %g, want %g", i, v, want)
		}
	}
	var sum float64
	all := p.Vote(p.Nearest(p.descriptor(0), 30, nil)[0])
	for _, v := range all.Voters {
		sum += v.Weight
	}
	if math.Abs(sum-1) > 1e-9 || all.Voters[0].ID != "r00" {
		t.Errorf("got weights of sum %g, strongest %v, want 1 and r00", sum, all.Voters[0])
	}
	none := p.Vote(nil)
	if none.Soft[0] != 0.5 || len(none.Voters) != 0 {
		t.Errorf("no neighbours: got %g, %v, want 0.5 and nobody", none.Soft[0], none.Voters)
	}
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
	a, b := p.Nearest(p.descriptor(0), 5, nil), q.Nearest(p.descriptor(0), 5, nil)
	if !slices.Equal(a[0], b[0]) {
		t.Errorf("decoded pool answers %v, want %v", b, a)
	}
	for name, bad := range map[string][]byte{
		"empty": nil, "cut in the magic": data[:5], "cut in the header": data[:40], "cut in the masks": data[:len(data)-1],
		"too long": append(slices.Clone(data), 0), "not a number": func() []byte {
			d := slices.Clone(data)
			copy(d[len(d)-8*(4*p.size+4096):], []byte{0, 0, 0xc0, 0x7f})
			return d
		}(),
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
