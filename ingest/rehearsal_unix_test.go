//go:build unix

package ingest

import (
	"archive/tar"
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"hdseg/manifests"
)

// tinyTars writes n pictures of 32 x 24 pixels, no two alike, in ImageNet's layout: an archive for each synset of the class, and a box
// file for every third picture.
func tinyTars(t *testing.T, dir string, class manifests.Class, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	img := image.NewRGBA(image.Rect(0, 0, 32, 24))
	perSynset := (n + len(class.Synsets) - 1) / len(class.Synsets)
	for s, wnid := range class.Synsets {
		pictures, boxes := tarFile(t, filepath.Join(dir, "images", wnid+".tar")), tarFile(t, filepath.Join(dir, "boxes", wnid+".tar"))
		for i := s * perSynset; i < min(n, (s+1)*perSynset); i++ {
			for k := range img.Pix {
				img.Pix[k] = 0xff
				if k%4 != 3 {
					img.Pix[k] = uint8(k/16 + int(rng.Uint32N(200)))
				}
			}
			var b bytes.Buffer
			if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 50}); err != nil {
				t.Fatal(err)
			}
			id := fmt.Sprintf("%s_%d", wnid, i)
			pictures.put(id+".JPEG", b.Bytes())
			if i%3 == 0 {
				boxes.put("Annotation/"+wnid+"/"+id+".xml", boxXML(32, 24, [5]any{wnid, 3, 4, 20, 20}))
			}
		}
		pictures.close()
		boxes.close()
	}
}

type tarWriter struct {
	t *testing.T
	f *os.File
	b *bufio.Writer
	w *tar.Writer
}

func tarFile(t *testing.T, name string) *tarWriter {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	b := bufio.NewWriterSize(f, 1<<20)
	return &tarWriter{t, f, b, tar.NewWriter(b)}
}

func (w *tarWriter) put(name string, data []byte) {
	if err := w.w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data))}); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.w.Write(data); err != nil {
		w.t.Fatal(err)
	}
}

func (w *tarWriter) close() {
	for _, f := range []func() error{w.w.Close, w.b.Flush, w.f.Close} {
		if err := f(); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestRehearsal ingests as many pictures as $HDSEG_REHEARSAL says, 156062 for DogSeg's size, and prints time, memory and the size of the
// manifest; then it ingests them again, which finds everything stored.
func TestRehearsal(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("HDSEG_REHEARSAL"))
	if err != nil || n < 1 {
		t.Skip("SKIPPED: minutes of work: set HDSEG_REHEARSAL=156062")
	}
	dir := t.TempDir()
	class := Dog()
	tinyTars(t, dir, class, n)
	req := Request{
		Dataset: "dogseg", Class: class, ImageNet: []string{filepath.Join(dir, "images")}, Boxes: []string{filepath.Join(dir, "boxes")},
		Options: Defaults(), Workers: runtime.GOMAXPROCS(0), Version: "test",
	}
	store, err := manifests.OpenStore(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"first run", "again"} {
		runtime.GC()
		start, used := time.Now(), cpu()
		peak := watchHeap()
		res, err := Run(t.Context(), req, store, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.Kept != n || len(res.Manifest.Skipped) > 0 {
			t.Fatalf("kept %d of %d, skipped %d", res.Kept, n, len(res.Manifest.Skipped))
		}
		ran := time.Since(start)
		if _, err := manifests.Write(store, "stages/ingest", res.Manifest); err != nil {
			t.Fatal(err)
		}
		heap := peak()
		var size int64
		err = filepath.WalkDir(filepath.Join(store.Dir(), "stages"), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			st, err := d.Info()
			if err == nil {
				size += st.Size()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		total := cpu() - used
		t.Logf("%s: %d pictures in %.1f s (%.1f s with the manifest), %.1f s of CPU, %.2f ms a picture; heap at most %d MB, %d bytes a picture; manifest %.1f MB, %d bytes a record; near or equal %d",
			what, n, ran.Seconds(), time.Since(start).Seconds(), total.Seconds(), 1000*total.Seconds()/float64(n), heap>>20, heap/int64(n), float64(size)/1e6, size/int64(n), len(res.Duplicates))
	}
}

// watchHeap samples how much memory is in use until the function it returns is called, which returns the most seen.
func watchHeap() func() int64 {
	var most atomic.Int64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), int64(m.HeapInuse)))
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(stop); <-done; return most.Load() }
}
