//go:build unix

package ingest

import (
	"bytes"
	"crypto/sha256"
	"image"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"hdseg/manifests"
)

// cpu is the user and system time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkIngestRate compares a whole ingest of the shared horse sets, from archives to a stored manifest's records, with what
// any reader must do at least: decode the same files (pictures and masks) with the standard library and hash their bytes.
// It prints both as pictures a second of CPU, side by side in every round, and their ratio; and what it costs there to make a file, which is
// the file system's part: see BENCHMARKS.md. The stores of all rounds stay until the end and lie apart from what was removed shortly before, so
// that neither the rounds nor the tests that ran in the same folder are measured.
func BenchmarkIngestRate(b *testing.B) {
	dir := dataDir(b)
	req := realRequest(dir, Horse(), "n02374451")
	req.Workers = 1
	// The files of the request: what ingest reads, the plain loop reads.
	base := b.TempDir()
	spread(b, base)
	store, err := manifests.OpenStore(filepath.Join(base, "list"))
	if err != nil {
		b.Fatal(err)
	}
	l := newLister(b.Context(), &req, store)
	if err := l.list(&req); err != nil {
		b.Fatal(err)
	}
	files := filesOf(b, l)
	var plain, full, making time.Duration
	n, made := 0, 0
	for b.Loop() {
		t0 := cpu()
		for _, e := range files {
			decodeAndHash(b, &e)
		}
		t1 := cpu()
		place, err := os.MkdirTemp(base, "") // the place of a folder follows from its name
		if err != nil {
			b.Fatal(err)
		}
		store, err := manifests.OpenStore(place)
		if err != nil {
			b.Fatal(err)
		}
		t2 := cpu()
		res, err := Run(b.Context(), req, store, nil)
		if err != nil {
			b.Fatal(err)
		}
		full += cpu() - t2
		t3 := cpu()
		for i := range 200 {
			if err := os.WriteFile(filepath.Join(store.Dir(), strconv.Itoa(i)), nil, 0o666); err != nil {
				b.Fatal(err)
			}
		}
		making += cpu() - t3
		made += 200
		plain += t1 - t0
		n += res.Kept
	}
	b.ReportMetric(float64(n)/plain.Seconds(), "plain-images/s")
	b.ReportMetric(float64(n)/full.Seconds(), "ingest-images/s")
	b.ReportMetric(plain.Seconds()/full.Seconds(), "ratio")
	b.ReportMetric(float64(making.Microseconds())/float64(made), "us/new-file")
}

// filesOf lists the masks that ingest reads and the pictures that it goes on to decode.
func filesOf(b *testing.B, l *lister) []entry {
	dir := dataDir(b)
	var out []entry
	opts := Defaults()
	for _, t := range l.tasks {
		switch {
		case t.split == manifests.Test:
			out = append(out, fileEntry(b, dir, "test", l.class.Name, "masks", t.id+".png"))
		case t.source == "voc2012":
			out = append(out, fileEntry(b, dir, "VOCdevkit", "VOC2012", "SegmentationClass", t.id+".png"))
			layers, err := t.layers(&opts)
			if err != nil {
				b.Fatal(err)
			}
			if len(layers) == 0 {
				continue
			}
		}
		out = append(out, t.image)
	}
	return out
}

func fileEntry(b *testing.B, path ...string) entry {
	file := filepath.Join(path...)
	st, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	return entry{name: file, file: file, size: st.Size()}
}

func decodeAndHash(b *testing.B, e *entry) {
	data, err := e.read(1 << 30)
	if err != nil {
		b.Fatal(err)
	}
	if _, _, err := image.Decode(bytes.NewReader(data)); err != nil {
		b.Fatal(err)
	}
	sha256.Sum256(data)
}
