package lscrf

import (
	"bytes"
	"context"
	"encoding"
	"errors"
	"runtime"
	"testing"
)

// Statistics of shards, through files, in any order and grouping, have the bytes of one pass and give its model.
func TestShards(t *testing.T) {
	ctx, none := context.Background(), func(int, int) {}
	src := lattice(11, 3, false, 1)
	o := quick()
	const of = 4
	shard := func(which ...int) *Partial {
		var p *Partial
		for _, i := range which {
			var part Memory
			for j, g := range src {
				if j%of == i {
					part = append(part, g)
				}
			}
			q, err := CollectShard(ctx, trainer(part, o, 3, 2), i, of, true, none)
			if err != nil {
				t.Fatal(err)
			}
			data, err := q.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			back := new(Partial)
			if err := back.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
			if p == nil {
				p = back
			} else if err := p.Merge(back); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	s := spec(Linear, Pairwise)
	want := file(t, train(t, trainer(src, o, 3, 2), s))
	a, b := shard(2, 0, 3, 1), shard(3, 1)
	if err := b.Merge(shard(2, 0)); err != nil {
		t.Fatal(err)
	}
	var files [][]byte
	for _, p := range []*Partial{a, b} {
		got, err := p.Train(s, o)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(file(t, got.Model), want) {
			t.Error("the model of merged shards has other bytes than that of a single run")
		}
		data, _ := p.MarshalBinary()
		files = append(files, data)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("merged in another order the statistics have other bytes")
	}
	if err := shard(1, 2).Merge(shard(0, 2)); err == nil {
		t.Error("a shard that is given twice was accepted")
	}
	if _, err := shard(0, 1, 3).Train(s, o); err == nil || err.Error() != "train: the statistics lack --shard 2/4: merge those of all shards first" {
		t.Errorf("a shard is missing: got %v", err)
	}
	other := shard(1)
	other.About.Manifest = "sha256:other"
	if err := shard(0).Merge(other); err == nil {
		t.Error("statistics of another manifest were accepted")
	}
	for i := 0; i < len(files[0]); i += 1 + len(files[0])/50 {
		bad := bytes.Clone(files[0])
		bad[i] ^= 1
		if err := new(Partial).UnmarshalBinary(bad); !errors.Is(err, ErrPartial) {
			t.Fatalf("byte %d changed: got %v, want ErrPartial", i, err)
		}
	}
}

// FuzzPartial reads any bytes as a statistics file, with their checksum made right: no panic, no more memory than the file's size tells, and
// what is accepted is written back.
func FuzzPartial(f *testing.F) { fuzzFile(f, partialMagic, func() fileForm { return new(Partial) }) }

// FuzzModel does so with model files.
func FuzzModel(f *testing.F) { fuzzFile(f, modelMagic, func() fileForm { return new(Model) }) }

type fileForm interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

func fuzzFile(f *testing.F, magic string, made func() fileForm) {
	var m Model
	body, err := m.body()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte(`{"Shards":[0],"Of":1,"Groups":[{"Has":["manual"],"Tier":"manual","Images":9000000000}],"About":` + string(body) + `}`))
	f.Add([]byte(`{"Labels":["a","b"],"Setup":{"Feature":{"Set":"draft"}},"Weights":[1e308]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, data := range [][]byte{seal(block([]byte(magic), body)), seal(append([]byte(magic), body...)), body} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := made()
			err := got.UnmarshalBinary(data)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20+100*uint64(len(data)) {
				t.Fatalf("%d bytes were allocated for a file of %d", n, len(data))
			}
			if err != nil {
				continue
			}
			if _, err := got.MarshalBinary(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
