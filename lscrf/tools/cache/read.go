package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"path"
	"strings"
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"hdseg/manifests"
)

// ErrDamaged is wrapped by errors about bytes that are not what was written.
var ErrDamaged = errors.New("the feature cache is damaged: delete its folder and run the same command again")

// A Cache reads what a Writer wrote. Get may be called from several goroutines.
type Cache struct {
	Key    manifests.Digest
	Dim    int
	shards []*mapped
	where  []place
}

type place struct {
	shard *mapped
	batch int
}

// A mapped is one shard.
type mapped struct {
	shard
	path    string // in the store
	dim     int
	data    []byte
	release func() error
	reader  *ipc.FileReader
	mu      sync.Mutex // the Arrow reader is not safe for concurrent use
	checked []bool     // batches whose checksum was compared
}

// Open maps a cache. The checksums of a batch are compared when it is first read, those around the
// batches now.
func Open(store *manifests.Store, dir string) (*Cache, error) {
	ix, err := readIndex(store, dir)
	if err != nil {
		return nil, err
	}
	c := &Cache{Key: ix.Key, Dim: ix.Dim}
	for _, s := range ix.Shards {
		m, err := openShard(store, path.Join(dir, s.File), s, ix.Dim)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.shards = append(c.shards, m)
		if key := m.reader.Schema().Metadata(); metaKey(key) != ix.Key {
			return nil, errors.Join(fmt.Errorf("%s: %w: the index's key is %s, that of %s is %s", IndexPath(dir), ErrDamaged,
				ix.Key.Short(), s.File, metaKey(key).Short()), c.Close())
		}
		for i := range s.Images {
			c.where = append(c.where, place{m, i})
		}
	}
	return c, nil
}

func readIndex(store *manifests.Store, dir string) (ix index, err error) {
	data, err := store.Read(IndexPath(dir), "")
	if err != nil {
		return ix, err
	}
	if err := json.Unmarshal(data, &ix); err != nil {
		return ix, fmt.Errorf("%s: %w: %v", IndexPath(dir), ErrDamaged, err)
	}
	return ix, nil
}

// bounded is Go's memory for what Arrow copies, which are small things of files that hdseg wrote:
// a file that claims more has buffers that it calls compressed.
type bounded struct{ memory.Allocator }

func (b bounded) Allocate(n int) []byte {
	if most := 16 << 20; n > most {
		panic(fmt.Sprintf("it asks for %d bytes of memory, want at most %d", n, most))
	}
	return b.Allocator.Allocate(n)
}

func (b bounded) Reallocate(n int, old []byte) []byte {
	if n > len(old) {
		return append(b.Allocate(n)[:0], old...)[:n]
	}
	return b.Allocator.Reallocate(n, old)
}

// newReader reads the schema of an Arrow file. It panics if it is damaged.
func newReader(data []byte) (*ipc.FileReader, error) {
	checkFooter(data)
	// Arrow would swap the bytes of another order in place, which in a map stops the program.
	return ipc.NewMappedFileReader(data, ipc.WithAllocator(bounded{memory.NewGoAllocator()}), ipc.WithEnsureNativeEndian(false))
}

func openShard(store *manifests.Store, file string, s shard, dim int) (_ *mapped, err error) {
	name, err := store.Path(file)
	if err != nil {
		return nil, err
	}
	m := &mapped{shard: s, path: file, dim: dim, checked: make([]bool, len(s.Images))}
	if m.data, m.release, err = mapFile(name); err != nil {
		return nil, err
	}
	damaged := func(format string, args ...any) error {
		m.release()
		return fmt.Errorf("%s: %w: %s", file, ErrDamaged, fmt.Sprintf(format, args...))
	}
	defer func() { // Arrow and offsets that lie stop in a panic
		if p := recover(); p != nil {
			err = damaged("%v", p)
		}
	}()
	if int64(len(m.data)) != s.Bytes || len(s.Images) == 0 {
		return nil, damaged("got %d bytes, want %d", len(m.data), s.Bytes)
	}
	at := s.Images[0].Start
	for _, e := range s.Images {
		if e.Start != at || e.End <= e.Start || e.End > s.Bytes {
			return nil, damaged("the index's offsets of %s are out of order", e.ID)
		}
		at = e.End
	}
	if crc32.Checksum(m.data[:s.Images[0].Start], castagnoli) != s.Head || crc32.Checksum(m.data[at:], castagnoli) != s.Tail {
		return nil, damaged("the checksum of the header or footer does not match")
	}
	if m.reader, err = newReader(m.data); err != nil {
		return nil, damaged("%v", err)
	}
	if !m.reader.Schema().IsNativeEndian() {
		return nil, damaged("its numbers are in the byte order of another processor")
	}
	if m.reader.NumRecords() != len(s.Images) {
		return nil, damaged("got %d batches, want %d", m.reader.NumRecords(), len(s.Images))
	}
	return m, nil
}

// Len returns the number of images.
func (c *Cache) Len() int { return len(c.where) }

// Split returns the split of image i without touching its batch.
func (c *Cache) Split(i int) manifests.Split { return c.where[i].shard.Images[c.where[i].batch].Split }

// Get returns image i. Its slices lie in the mapped file.
func (c *Cache) Get(i int) (*Image, error) {
	p := c.where[i]
	return p.shard.image(p.batch)
}

// Forget tells that image i, and those before it in its file, are not read again soon: their memory
// is given back.
func (c *Cache) Forget(i int) {
	p := c.where[i]
	forget(p.shard.data[:p.shard.Images[p.batch].End])
}

// Close unmaps the files; images that Get returned are invalid then.
func (c *Cache) Close() error {
	var errs []error
	for _, m := range c.shards {
		errs = append(errs, m.release())
	}
	c.shards, c.where = nil, nil
	return errors.Join(errs...)
}

func (m *mapped) image(i int) (im *Image, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.Images[i]
	damaged := func(what any) error { return fmt.Errorf("%s: image %s: %w: %v", m.path, e.ID, ErrDamaged, what) }
	defer func() {
		if p := recover(); p != nil {
			im, err = nil, damaged(p)
		}
	}()
	if !m.checked[i] {
		if crc32.Checksum(m.data[e.Start:e.End], castagnoli) != e.CRC {
			return nil, damaged("the checksum does not match")
		}
		m.checked[i] = true
	}
	rec, err := m.reader.RecordBatchAt(i)
	if err != nil {
		return nil, fmt.Errorf("%s: image %s: %w", m.path, e.ID, err)
	}
	im = decode(rec)
	if im.ID != e.ID || im.Split != e.Split || im.Dim != m.dim {
		return nil, fmt.Errorf("%s: image %s of %s: %w: the index says %s of %s, width %d", m.path, im.ID, im.Split, ErrDamaged,
			e.ID, e.Split, m.dim)
	}
	if what := im.misfit(); what != "" {
		return nil, damaged(what)
	}
	return im, nil
}

// misfit says which numbers of an image do not fit each other, "" for none.
func (im *Image) misfit() string {
	if len(im.Features) != im.N*im.Dim || len(im.Sizes) != im.N {
		return fmt.Sprintf("got %d features and %d sizes of %d superpixels", len(im.Features), len(im.Sizes), im.N)
	}
	for _, e := range im.Edges {
		if e[0] < 0 || e[0] >= e[1] || int(e[1]) >= im.N {
			return fmt.Sprintf("got the edge %v of %d superpixels", e, im.N)
		}
	}
	for _, l := range im.Labels {
		if len(l.Y) != im.N {
			return fmt.Sprintf("got %d %s labels of %d superpixels", len(l.Y), l.Tier, im.N)
		}
		for _, y := range l.Y {
			if y > 1 && y != 255 {
				return fmt.Sprintf("got the label %d, want 0, 1 or 255", y)
			}
		}
	}
	return ""
}

// metaKey returns the key in a shard's own metadata.
func metaKey(meta arrow.Metadata) manifests.Digest {
	v, _ := meta.GetValue("hdseg.key")
	return manifests.Digest(v)
}

// decode returns the only row of a batch, without copying what is large.
func decode(rec arrow.RecordBatch) *Image {
	// Names are copied: they outlive the map in keys and errors.
	im := &Image{ID: strings.Clone(rec.Column(0).(*array.String).Value(0)),
		Split: manifests.Split(strings.Clone(rec.Column(1).(*array.String).Value(0)))}
	rows := rec.Column(2).(*array.List).ListValues().(*array.FixedSizeList)
	im.N = rows.Len()
	im.Dim = int(rows.DataType().(*arrow.FixedSizeListType).Len())
	im.Features = rows.ListValues().(*array.Float32).Float32Values()
	edges := rec.Column(3).(*array.List).ListValues().(*array.FixedSizeList)
	if flat := edges.ListValues().(*array.Int32).Int32Values(); len(flat) > 0 {
		im.Edges = unsafe.Slice((*[2]int32)(unsafe.Pointer(&flat[0])), len(flat)/2)
	}
	im.Sizes = rec.Column(4).(*array.List).ListValues().(*array.Int32).Int32Values()
	labels := rec.Column(5).(*array.List).ListValues().(*array.Struct)
	tiers, ys := labels.Field(0).(*array.String), labels.Field(1).(*array.List)
	for k := range labels.Len() {
		from, to := ys.ValueOffsets(k)
		y := ys.ListValues().(*array.Uint8).Uint8Values()[from:to]
		im.Labels = append(im.Labels, Labels{manifests.Tier(strings.Clone(tiers.Value(k))), y})
	}
	return im
}
