package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"path"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"hdseg/manifests"
)

// ShardBytes is the size at which a shard is closed; the writer holds one shard in memory.
const ShardBytes = 64 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Writer writes a cache into a folder of a store. Equal images in equal order give equal bytes.
type Writer struct {
	store  *manifests.Store
	dir    string
	limit  int
	schema *arrow.Schema
	index  index
	buf    *bytes.Buffer
	w      *ipc.FileWriter
	open   shard
}

// NewWriter starts a cache of images with dim features per superpixel. dir is a path in the store;
// key is the digest of everything that the features depend on.
func NewWriter(store *manifests.Store, dir string, dim int, key manifests.Digest) *Writer {
	meta := arrow.NewMetadata([]string{"hdseg.key", "hdseg.version"}, []string{string(key), manifests.Version})
	return &Writer{store: store, dir: dir, limit: ShardBytes, index: index{Key: key, Dim: dim}, schema: schema(dim, &meta)}
}

func schema(dim int, meta *arrow.Metadata) *arrow.Schema {
	required := func(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }
	return arrow.NewSchema([]arrow.Field{
		required("id", arrow.BinaryTypes.String),
		required("split", arrow.BinaryTypes.String),
		required("features", arrow.ListOfNonNullable(arrow.FixedSizeListOfNonNullable(int32(dim), arrow.PrimitiveTypes.Float32))),
		required("edges", arrow.ListOfNonNullable(arrow.FixedSizeListOfNonNullable(2, arrow.PrimitiveTypes.Int32))),
		required("sizes", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Int32)),
		required("labels", arrow.ListOfNonNullable(arrow.StructOf(
			required("tier", arrow.BinaryTypes.String),
			required("y", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Uint8)),
		))),
	}, meta)
}

// Add appends an image. It panics if the image's slices do not fit N and Dim.
func (w *Writer) Add(im *Image) error {
	if im.Dim != w.index.Dim || len(im.Features) != im.N*im.Dim || len(im.Sizes) != im.N {
		panic(fmt.Sprintf("cache: %s: %d features and %d sizes for %d x %d, want a cache of width %d", im.ID, len(im.Features),
			len(im.Sizes), im.N, im.Dim, w.index.Dim))
	}
	if w.w == nil {
		if err := w.start(); err != nil {
			return err
		}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, w.schema)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).Append(im.ID)
	b.Field(1).(*array.StringBuilder).Append(string(im.Split))
	rows := b.Field(2).(*array.ListBuilder)
	rows.Append(true)
	row := rows.ValueBuilder().(*array.FixedSizeListBuilder)
	row.AppendValues(all(im.N))
	row.ValueBuilder().(*array.Float32Builder).AppendValues(im.Features, nil)
	edges := b.Field(3).(*array.ListBuilder)
	edges.Append(true)
	edge := edges.ValueBuilder().(*array.FixedSizeListBuilder)
	edge.AppendValues(all(len(im.Edges)))
	if len(im.Edges) > 0 {
		edge.ValueBuilder().(*array.Int32Builder).AppendValues(unsafe.Slice(&im.Edges[0][0], 2*len(im.Edges)), nil)
	}
	sizes := b.Field(4).(*array.ListBuilder)
	sizes.Append(true)
	sizes.ValueBuilder().(*array.Int32Builder).AppendValues(im.Sizes, nil)
	labels := b.Field(5).(*array.ListBuilder)
	labels.Append(true)
	one := labels.ValueBuilder().(*array.StructBuilder)
	for _, l := range im.Labels {
		if len(l.Y) != im.N {
			panic(fmt.Sprintf("cache: %s: %d labels of tier %s, want %d", im.ID, len(l.Y), l.Tier, im.N))
		}
		one.Append(true)
		one.FieldBuilder(0).(*array.StringBuilder).Append(string(l.Tier))
		y := one.FieldBuilder(1).(*array.ListBuilder)
		y.Append(true)
		y.ValueBuilder().(*array.Uint8Builder).AppendValues(l.Y, nil)
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	start := w.buf.Len()
	if err := w.w.Write(rec); err != nil {
		return fmt.Errorf("cache: %s: %w", im.ID, err)
	}
	end := w.buf.Len()
	w.open.Images = append(w.open.Images, entry{im.ID, im.Split, int64(start), int64(end),
		crc32.Checksum(w.buf.Bytes()[start:end], castagnoli)})
	if w.buf.Len() >= w.limit {
		return w.finish()
	}
	return nil
}

func all(n int) []bool {
	v := make([]bool, n)
	for i := range v {
		v[i] = true
	}
	return v
}

func (w *Writer) start() (err error) {
	if w.buf == nil { // one that grows holds three times as much while it moves
		w.buf = bytes.NewBuffer(make([]byte, 0, w.limit+w.limit/16))
	}
	w.buf.Reset()
	w.open = shard{File: fmt.Sprintf("%04d.arrow", len(w.index.Shards))}
	w.w, err = ipc.NewFileWriter(w.buf, ipc.WithSchema(w.schema), ipc.WithAllocator(memory.DefaultAllocator))
	return err // the schema is written with the first batch, and counts as its first bytes
}

// finish closes the open shard and stores it.
func (w *Writer) finish() error {
	if err := w.w.Close(); err != nil {
		return fmt.Errorf("cache: %s: %w", w.open.File, err)
	}
	w.w = nil
	data := w.buf.Bytes()
	s := &w.open
	s.Bytes, s.SHA256 = int64(len(data)), manifests.Sum(data)
	s.Head = crc32.Checksum(data[:s.Images[0].Start], castagnoli)
	s.Tail = crc32.Checksum(data[s.Images[len(s.Images)-1].End:], castagnoli)
	w.index.Shards = append(w.index.Shards, *s)
	return w.store.Replace(path.Join(w.dir, s.File), data)
}

// Close stores the last shard and then the index, with which the cache begins to exist.
func (w *Writer) Close() error {
	if w.w != nil {
		if err := w.finish(); err != nil {
			return err
		}
	}
	data, err := json.Marshal(w.index)
	if err != nil {
		return err
	}
	return w.store.Replace(IndexPath(w.dir), append(data, '\n'))
}

// IndexPath returns the index file of a cache.
func IndexPath(dir string) string { return path.Join(dir, "index.json") }
