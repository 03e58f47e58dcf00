package cache

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"hdseg/manifests"
)

func sample(id string, n int) *Image {
	im := &Image{ID: id, Split: manifests.Train, N: n, Dim: 3, Sizes: make([]int32, n)}
	for i := range n * 3 {
		im.Features = append(im.Features, float32(i)*0.5-7)
	}
	y := make([]uint8, n)
	for i := range n {
		im.Sizes[i] = int32(10 + i)
		y[i] = []uint8{0, 1, 255}[i%3]
		if i > 0 {
			im.Edges = append(im.Edges, [2]int32{int32(i - 1), int32(i)})
		}
	}
	im.Labels = []Labels{{manifests.BBox, y}, {manifests.Manual, bytes.Clone(y)}}
	return im
}

func written(t *testing.T, images ...*Image) (*manifests.Store, string) {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(store, "features", 3, manifests.Sum([]byte("key")))
	w.limit = 1000 // several shards
	for _, im := range images {
		if err := w.Add(im); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return store, filepath.Join(store.Dir(), "features")
}

// FuzzCache reads any bytes as a shard under an index whose offsets and checksums are right, and as the index: an error or images whose numbers
// fit each other, no panic.
func FuzzCache(f *testing.F) {
	store, err := manifests.OpenStore(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	w := NewWriter(store, "features", 3, manifests.Sum([]byte("key")))
	if err := errors.Join(w.Add(sample("x", 4)), w.Add(sample("y", 9)), w.Close()); err != nil {
		f.Fatal(err)
	}
	dir := filepath.Join(store.Dir(), "features")
	good, err := os.ReadFile(filepath.Join(dir, "0000.arrow"))
	if err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		f.Fatal(err)
	}
	var whole index
	if err := json.Unmarshal(text, &whole); err != nil {
		f.Fatal(err)
	}
	f.Add(good, []byte(nil))
	f.Add(good, text)
	for i := 1; i < 40; i++ { // lying sizes, with checksums that are right
		bad := bytes.Clone(good)
		binary.LittleEndian.PutUint64(bad[len(bad)*i/40&^7:], 1<<40)
		f.Add(bad, []byte(nil))
	}
	f.Fuzz(func(t *testing.T, data, text []byte) {
		if len(text) == 0 {
			ix := whole
			s := whole.Shards[0]
			s.Images = slices.Clone(s.Images)
			s.Bytes = int64(len(data))
			last := &s.Images[len(s.Images)-1]
			if s.Bytes < last.End {
				return
			}
			for i, e := range s.Images {
				s.Images[i].CRC = crc32.Checksum(data[e.Start:e.End], castagnoli)
			}
			s.Head, s.Tail = crc32.Checksum(data[:s.Images[0].Start], castagnoli), crc32.Checksum(data[last.End:], castagnoli)
			ix.Shards = []shard{s}
			var err error
			if text, err = json.Marshal(ix); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(store.Replace("features/0000.arrow", data), store.Replace("features/index.json", text)); err != nil {
			t.Fatal(err)
		}
		c, err := Open(store, "features")
		if err != nil {
			return
		}
		defer c.Close()
		for i := range c.Len() {
			if im, err := c.Get(i); err == nil && im.misfit() != "" {
				t.Errorf("image %d: %s", i, im.misfit())
			}
		}
	})
}

func TestRoundTrip(t *testing.T) {
	images := []*Image{sample("2007_000032", 5), sample("b", 1), sample("c", 40)}
	images[1].Split, images[1].Labels = manifests.Test, nil
	store, dir := written(t, images...)
	c, err := Open(store, "features")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Len() != len(images) || c.Key != manifests.Sum([]byte("key")) || c.Dim != 3 {
		t.Fatalf("got %d images of width %d under %s", c.Len(), c.Dim, c.Key)
	}
	for i, want := range images {
		got, err := c.Get(i)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("image %d: got %+v, want %+v", i, got, want)
		}
		if c.Split(i) != want.Split {
			t.Errorf("split of %d: got %s", i, c.Split(i))
		}
	}
	if shards, _ := filepath.Glob(filepath.Join(dir, "*.arrow")); len(shards) < 2 {
		t.Errorf("got %d shards, want several", len(shards))
	}
}

func TestEqualBytes(t *testing.T) {
	_, a := written(t, sample("x", 7), sample("y", 9))
	_, b := written(t, sample("x", 7), sample("y", 9))
	for _, f := range []string{"0000.arrow", "index.json"} {
		p, err := os.ReadFile(filepath.Join(a, f))
		if err != nil {
			t.Fatal(err)
		}
		q, err := os.ReadFile(filepath.Join(b, f))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p, q) {
			t.Errorf("%s differs between equal caches", f)
		}
	}
}

// Every single flipped byte is refused, when opening or when its batch is read.
func TestFlippedByte(t *testing.T) {
	store, dir := written(t, sample("x", 2))
	name := filepath.Join(dir, "0000.arrow")
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		if err := os.WriteFile(name, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := Open(store, "features")
		if err == nil {
			_, err = c.Get(0)
			c.Close()
		}
		if !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d of %d flipped: got error %v", i, len(good), err)
		}
	}
}

// A flipped byte of the index is refused, or does not matter (the shard's sha256, which is for
// other tools, and white space): no image comes out changed.
func TestFlippedIndex(t *testing.T) {
	want := sample("x", 2)
	store, dir := written(t, want)
	name := filepath.Join(dir, "index.json")
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range good {
		for _, flip := range []byte{1, 2, 32} {
			bad := bytes.Clone(good)
			bad[i] ^= flip
			if err := os.WriteFile(name, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			c, err := Open(store, "features")
			if err != nil {
				refused++
				continue
			}
			for k := range c.Len() {
				im, err := c.Get(k)
				if err != nil {
					refused++
				} else if !reflect.DeepEqual(im, want) || c.Key != manifests.Sum([]byte("key")) || c.Split(k) != want.Split {
					t.Errorf("byte %d (%q) flipped to %q gives another image", i, good[i], bad[i])
				}
			}
			c.Close()
		}
	}
	if refused < len(good) {
		t.Errorf("only %d of %d damaged indexes were refused", refused, 3*len(good))
	}
}

func BenchmarkGet(b *testing.B) {
	store, err := manifests.OpenStore(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	const n = 200
	w := NewWriter(store, "features", 133, manifests.Sum(nil))
	for i := range n {
		im := &Image{ID: string(rune('a'+i%26)) + string(rune('a'+i/26)), Split: manifests.Train, N: 350, Dim: 133,
			Features: make([]float32, 350*133), Edges: make([][2]int32, 900), Sizes: make([]int32, 350)}
		if err := w.Add(im); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	images := 0
	for b.Loop() {
		c, err := Open(store, "features")
		if err != nil {
			b.Fatal(err)
		}
		for i := range c.Len() {
			if _, err := c.Get(i); err != nil {
				b.Fatal(err)
			}
			images++
		}
		c.Close()
	}
	b.ReportMetric(float64(images)/b.Elapsed().Seconds(), "images/s")
	b.SetBytes(n * 350 * 133 * 4)
}
