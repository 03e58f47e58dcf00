package jpeg

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A picture is 8-bit RGB.
type picture struct {
	Pix           []uint8
	Width, Height int
}

func decode(data []byte) (*picture, error) {
	h, err := Scan(data)
	if err != nil {
		return nil, err
	}
	if h.Width == 0 || h.Height == 0 {
		return nil, errors.New("empty picture")
	}
	pix, err := Decode(data, h)
	if err != nil {
		return nil, err
	}
	return &picture{pix, h.Width, h.Height}, nil
}

func absDiff(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

// first is the first pixel of a file.
func first(t *testing.T, data []byte) [3]uint8 {
	t.Helper()
	m, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return [3]uint8(m.Pix)
}

// draw fills a drawing with sparse random coefficients.
func draw(rng *rand.Rand, w, h int, sampling [][2]int) *drawing {
	d := &drawing{width: w, height: h, sampling: sampling, adobe: -1}
	for k := range sampling {
		sx, sy, _, _ := d.blocks(k)
		c := make([]int16, 64*sx*sy)
		for b := 0; b < len(c); b += 64 {
			c[b] = int16(rng.IntN(400) - 200)
			for range rng.IntN(12) {
				c[b+1+rng.IntN(63)] = int16(rng.NormFloat64() * 20)
			}
		}
		d.coefs = append(d.coefs, c)
	}
	return d
}

var samplings = map[string][][2]int{
	"grey": {{1, 1}}, "444": {{1, 1}, {1, 1}, {1, 1}}, "422": {{2, 1}, {1, 1}, {1, 1}}, "420": {{2, 2}, {1, 1}, {1, 1}},
	"440": {{1, 2}, {1, 1}, {1, 1}}, "411": {{4, 1}, {1, 1}, {1, 1}}, "odd": {{2, 2}, {2, 1}, {1, 2}}, "cmyk": {{2, 2}, {1, 1}, {1, 1}, {2, 2}},
}

// The same coefficients in one scan, in a scan a component, with restart markers and in every progressive order are one
// picture.
func TestJPEGOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"grey", "444", "422", "420", "440", "411", "odd", "cmyk"}).Draw(t, "sampling")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		d := draw(rng, rapid.IntRange(1, 70).Draw(t, "w"), rapid.IntRange(1, 50).Draw(t, "h"), samplings[name])
		pixels := func(what string, data []byte) []uint8 {
			m, err := decode(data)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return m.Pix
		}
		want := pixels("sequential", d.sequential(true))
		same := func(what string, data []byte) {
			if !bytes.Equal(pixels(what, data), want) {
				t.Fatalf("%s: the pixels differ", what)
			}
		}
		same("a scan a component", d.sequential(false))
		for _, d.restart = range []int{0, 1, rapid.IntRange(2, 9).Draw(t, "restart")} {
			same("with restarts", d.sequential(true))
			same("spectral selection", d.progressive([][2]int{{1, 5}, {6, 63}}, 0))
			same("successive approximation", d.progressive([][2]int{{1, 63}}, 3))
			same("both", d.progressive([][2]int{{1, 2}, {3, 20}, {21, 63}}, 1))
		}
	})
}

// Where nothing is subsampled, image/jpeg differs only by its own rounding of the transform and of the colours.
func TestJPEGAgainstStandard(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"grey", "444"} {
		d := draw(rng, 61, 43, samplings[name])
		data := d.sequential(true)
		m, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		img, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		worst, sum := 0, 0
		for i := range m.Width * m.Height {
			r, g, b, _ := img.At(i%m.Width, i/m.Width).RGBA()
			for c, v := range []uint32{r, g, b} {
				d := absDiff(uint8(v>>8), m.Pix[3*i+c])
				worst, sum = max(worst, d), sum+d
			}
		}
		// The transforms differ by one level at most, the colours by 1.772 times as much and a rounding.
		if worst > 4 || float64(sum) > 0.6*float64(len(m.Pix)) {
			t.Errorf("%s: largest difference %d, mean %.3f", name, worst, float64(sum)/float64(len(m.Pix)))
		}
	}
}

// The inverse transform against its definition (T.81, A.3.3) in float64.
func TestInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 200 {
		var b, keep [64]int32
		columns := uint(0)
		for range 1 + rng.IntN(20) {
			i := rng.IntN(64)
			b[i] = int32(rng.IntN(400) - 200)
			if i >= 8 {
				columns |= 1 << (i & 7)
			}
		}
		keep = b
		out := make([]uint8, 64)
		inverse(&b, columns, out, 8)
		for y := range 8 {
			for x := range 8 {
				s := 0.0
				for v := range 8 {
					for u := range 8 {
						f := float64(keep[8*v+u])
						if u == 0 {
							f /= math.Sqrt2
						}
						if v == 0 {
							f /= math.Sqrt2
						}
						s += f / 4 * math.Cos(float64(2*x+1)*float64(u)*math.Pi/16) * math.Cos(float64(2*y+1)*float64(v)*math.Pi/16)
					}
				}
				want := max(0, min(255, s+128))
				if math.Abs(float64(out[8*y+x])-want) > 0.6 {
					t.Fatalf("round %d: (%d, %d): got %d, want %.3f", round, x, y, out[8*y+x], want)
				}
			}
		}
	}
}

// The triangle filter by hand: 4 samples doubled are, in quarters, 4a, 3a+b | a+3b, 3b+c | b+3c, 3c+d | c+3d, 4d.
func TestFancyRow(t *testing.T) {
	in, out := []uint8{10, 20, 40, 43}, make([]uint8, 8)
	fancyRow(out, in)
	// (30+20+2)/4 = 13, (60+10+1)/4 = 17.75, (60+40+2)/4 = 25.5, (120+20+1)/4 = 35.25, (120+43+2)/4 = 41.25, (129+40+1)/4 = 42.5
	if want := []uint8{10, 13, 17, 25, 35, 41, 42, 43}; !bytes.Equal(out, want) {
		t.Errorf("got %v, want %v", out, want)
	}
	sums := []int32{40, 80, 160, 172} // the same row twice: 4 times the samples
	fancyBoth(out, sums)
	// (160+8)/16 = 10.5, (120+80+7)/16 = 12.9, (240+40+8)/16 = 18, (240+160+7)/16 = 25.4, (480+80+8)/16 = 35.5, (480+172+7)/16 = 41.2, (516+160+8)/16 = 42.75, (688+7)/16 = 43.4
	if want := []uint8{10, 12, 18, 25, 35, 41, 42, 43}; !bytes.Equal(out, want) {
		t.Errorf("got %v, want %v", out, want)
	}
}

// The standard's example Huffman tables, which Motion JPEG leaves out, are the ones that image/jpeg writes.
func TestStandardTables(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 24, 24))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	want, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for {
		at := bytes.Index(data, []byte{0xff, 0xc4})
		if at < 0 {
			break
		}
		data = append(data[:at:at], data[at+2+int(data[at+2])<<8+int(data[at+3]):]...)
	}
	got, err := decode(data)
	if err != nil || !bytes.Equal(got.Pix, want.Pix) {
		t.Errorf("without tables: %v", err)
	}
}

// Components that are stored as RGB, which the Adobe marker or their ids say.
func TestRGBByComponentIDs(t *testing.T) {
	d := &drawing{width: 8, height: 8, sampling: samplings["444"], coefs: [][]int16{make([]int16, 64), make([]int16, 64), make([]int16, 64)}, adobe: 0}
	d.coefs[0][0], d.coefs[1][0], d.coefs[2][0] = 8*100, 8*-100, 8*20 // DC is 8 times the sample minus 128
	if got := first(t, d.sequential(true)); got != [3]uint8{228, 28, 148} {
		t.Errorf("adobe 0: got %v, want 228, 28, 148", got)
	}
	d.adobe = -1
	data := d.sequential(true)
	ycc := first(t, data)
	for i, b := range data { // rename the components in the frame and scan headers
		if b == 0xc0 && data[i-1] == 0xff {
			data[i+9], data[i+12], data[i+15] = 'R', 'G', 'B'
		}
		if b == 0xda && data[i-1] == 0xff {
			data[i+4], data[i+6], data[i+8] = 'R', 'G', 'B'
		}
	}
	if got := first(t, data); got != [3]uint8{228, 28, 148} || ycc == got {
		t.Errorf("ids RGB: got %v, want 228, 28, 148; as YCbCr %v", got, ycc)
	}
}

func TestJPEGRefuses(t *testing.T) {
	d := draw(rand.New(rand.NewPCG(1, 2)), 40, 24, samplings["420"])
	d.restart = 2
	good := d.sequential(true)
	cut := func(from, to int) []byte { return append(good[:from:from], good[to:]...) }
	sof, sos, rst := bytes.Index(good, []byte{0xff, 0xc0}), bytes.Index(good, []byte{0xff, 0xda}), bytes.Index(good, []byte{0xff, 0xd0})
	edit := func(at int, v ...byte) []byte {
		out := bytes.Clone(good)
		copy(out[at:], v)
		return out
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"arithmetic":        {edit(sof+1, 0xc9), "not supported: arithmetic coding"},
		"lossless":          {edit(sof+1, 0xc3), "not supported"},
		"12 bits":           {edit(sof+4, 12), "sample precision: not supported: got 12"},
		"no frame":          {cut(sof, sof+19), "no frame header"},
		"no scan":           {append(good[:sos:sos], 0xff, 0xd9), "has no scan"},
		"a lost interval":   {cut(sos+14, rst+2), "restart marker: got 0xd1, want 0xd0"},
		"a short interval":  {cut(rst-9, rst), "cut short"},
		"sampling 5":        {edit(sof+11, 0x51), "sampling 5 x 1"},
		"unknown component": {edit(sos+5, 9), "component 9"},
		"no quantization":   {edit(sof+12, 3), "quantization table 3 is not defined"},
		"no huffman":        {edit(sos+6, 0x33), "huffman table 3"},
		"height 0":          {edit(sof+5, 0, 0), "empty picture"},
	} {
		if _, err := decode(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := decode(good); err != nil {
		t.Error(err)
	}
	if _, err := jpeg.Decode(bytes.NewReader(good)); err != nil && !errors.Is(err, image.ErrFormat) {
		t.Errorf("image/jpeg refuses the unharmed file: %v", err)
	}
}

// A progressive file of which scans are missing is refused though it ends as it should, whichever they are.
func TestMissingScans(t *testing.T) {
	d := draw(rand.New(rand.NewPCG(3, 4)), 40, 24, samplings["420"])
	whole := d.progressive([][2]int{{1, 5}, {6, 63}}, 1)
	var scans []int // where they begin; in coded data 0xff is followed by 0
	for i := range len(whole) - 1 {
		if whole[i] == 0xff && whole[i+1] == 0xda {
			scans = append(scans, i)
		}
	}
	if len(scans) != 14 { // levels; 2 bands of 3 components; the last bit of each
		t.Fatalf("got %d scans", len(scans))
	}
	ends := append(scans[1:], len(whole)-2)
	for k, from := range scans {
		for name, data := range map[string][]byte{
			"from on": append(whole[:from:from], 0xff, 0xd9),
			"alone":   append(whole[:from:from], whole[ends[k]:]...),
		} {
			if m, err := decode(data); err == nil || m != nil || k > 0 && !strings.Contains(err.Error(), "cut short: component ") {
				t.Errorf("scan %d missing, %s: got %v, %v", k, name, m != nil, err)
			}
		}
	}
	if _, err := decode(append(whole[:scans[7]:scans[7]], 0xff, 0xd9)); err == nil || !strings.Contains(err.Error(), "component 1: no scan has the last 1 bits of coefficient 0") {
		t.Errorf("got %v", err)
	}
	if _, err := decode(whole); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, sampling := range samplings {
		d := draw(rand.New(rand.NewPCG(1, 1)), 17, 9, sampling)
		f.Add(d.sequential(true))
		f.Add(d.progressive([][2]int{{1, 5}, {6, 63}}, 1))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := Scan(data)
		if err != nil || h.Width*h.Height < 1 || h.Width*h.Height > 1<<16 {
			return
		}
		if pix, err := Decode(data, h); err == nil && len(pix) != 3*h.Width*h.Height {
			t.Fatalf("got %d bytes of %d x %d pixels", len(pix), h.Width, h.Height)
		}
	})
}

func dataDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("HDSEG_DATA")
	if dir == "" {
		_, file, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(file), "..", "..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "README.md")); err != nil {
		t.Skipf("SKIPPED: no real data: set HDSEG_DATA (looked in %s)", dir)
	}
	return dir
}

// realJPEGs reads some of the shared pictures.
func realJPEGs(t testing.TB, pattern string) [][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dataDir(t), filepath.FromSlash(pattern)))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: got no files, %v", pattern, err)
	}
	var out [][]byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

func BenchmarkDecodeJPEG(b *testing.B) {
	for _, set := range []struct{ name, pattern string }{
		{"voc", "VOCdevkit/VOC2012/JPEGImages/2008_*.jpg"}, {"weizmann", "weizmann/images/horse0*.jpg"},
	} {
		files := realJPEGs(b, set.pattern)
		px := 0
		for _, f := range files {
			m, err := decode(f)
			if err != nil {
				b.Fatal(err)
			}
			px += m.Width * m.Height
		}
		b.Run(set.name+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, f := range files {
					if _, err := decode(f); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(px*b.N)/b.Elapsed().Seconds(), "px/s")
		})
		b.Run(set.name+"/standard", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, f := range files {
					if _, err := jpeg.Decode(bytes.NewReader(f)); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(px*b.N)/b.Elapsed().Seconds(), "px/s")
		})
	}
}
