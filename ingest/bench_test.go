package ingest

import (
	"bytes"
	"crypto/sha256"
	"image"
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
// It prints both as pictures a second of CPU, side by side in every round, and their ratio.
func BenchmarkIngestRate(b *testing.B) {
	dir := dataDir(b)
	req := realRequest(dir, Horse(), "n02374451")
	req.Workers = 1
	// The files of the request: what ingest reads, the plain loop reads.
	store, err := manifests.OpenStore(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	l := newLister(b.Context(), &req, store)
	if err := l.list(&req); err != nil {
		b.Fatal(err)
	}
	var plain, full time.Duration
	n := 0
	for b.Loop() {
		t0 := cpu()
		for i := range l.tasks {
			t := &l.tasks[i]
			if t.hasMask {
				decodeAndHash(b, &t.mask)
			}
			if t.class != 0 && !kept(b, t) {
				continue
			}
			decodeAndHash(b, &t.image)
		}
		t1 := cpu()
		store, err := manifests.OpenStore(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		t2 := cpu()
		res, err := Run(b.Context(), req, store, nil)
		if err != nil {
			b.Fatal(err)
		}
		full += cpu() - t2
		plain += t1 - t0
		n += res.Kept
	}
	b.ReportMetric(float64(n)/plain.Seconds(), "plain-images/s")
	b.ReportMetric(float64(n)/full.Seconds(), "ingest-images/s")
	b.ReportMetric(plain.Seconds()/full.Seconds(), "ratio")
}

var haveClass = map[string]bool{}

// kept tells whether ingest goes on to decode a VOC picture.
func kept(b *testing.B, t *task) bool {
	k, ok := haveClass[t.id]
	if !ok {
		o, err := t.run(Defaults(), throwaway(b))
		if err != nil {
			b.Fatal(err)
		}
		k = o.other == ""
		haveClass[t.id] = k
	}
	return k
}

func throwaway(b *testing.B) *manifests.Store {
	s, err := manifests.OpenStore(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	return s
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
