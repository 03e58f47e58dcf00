package ingest

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// A failing is a file of which the disk does not give what lies behind a place.
type failing struct {
	data  string
	after int64
	err   error
}

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > f.after {
		return 0, f.err
	}
	return strings.NewReader(f.data).ReadAt(p, at)
}

// archivesOf are the same members in every kind of archive; of the compressed ones the pictures do not shrink.
func archivesOf(t *testing.T, members ...member) map[string]string {
	return map[string]string{"x.tar": string(tarOf(members...)), "x.tgz": string(gz(tarOf(members...))), "x.zip": string(zipOf(t, members...))}
}

// A disk that fails under an archive is not an archive cut short, and ends the run also where those are allowed.
func TestSourceFails(t *testing.T) {
	members := []member{{"a.jpg", jpegBytes(90, 70, 3)}, {"b.jpg", jpegBytes(90, 70, 5)}, {"c.jpg", jpegBytes(90, 70, 7)}}
	for name, data := range archivesOf(t, members...) {
		e := entry{origin: name, file: name, size: int64(len(data))}
		w, faults := testWalker(t, func(entry) error { return nil })
		w.lax = true
		kind := kindOf([]byte(data[:512]))
		after := int64(len(data) / 2)
		if kind == zipArchive {
			after = int64(len(data)) - 1 // its directory is at the end
		}
		if kind == tarArchive {
			after = 512 // headers are read, not members
		}
		err := w.forgive(w.members(e, &failing{data, after, syscall.EIO}, kind, 0))
		var ae *ArchiveError
		if !errors.Is(err, syscall.EIO) || errors.As(err, &ae) || !strings.Contains(err.Error(), name) || len(*faults) > 0 {
			t.Errorf("%s: got %v and %v, want the error of the disk", name, err, *faults)
		}
	}
}

// A full disk is not an archive cut short either.
func TestSpoolFails(t *testing.T) {
	for name, data := range archivesOf(t, member{"a.jpg", jpegBytes(90, 70, 3)}) {
		if name == "x.tar" {
			continue // read in place
		}
		file := archiveFile(t, name, []byte(data))
		w, faults := testWalker(t, func(entry) error { return nil })
		w.lax = true
		w.spool = func() (*os.File, error) { return os.Open(file) } // a file that cannot be written
		err := w.walk(file)
		var ae *ArchiveError
		if err == nil || errors.As(err, &ae) || !strings.Contains(err.Error(), name+": unpacking it: ") || len(*faults) > 0 {
			t.Errorf("%s: got %v and %v, want the error of the file", name, err, *faults)
		}
	}
}

// A run that is stopped while an archive is unpacked stops there, at the next block of it.
func TestUnpackingStops(t *testing.T) {
	members := []member{{"a.jpg", jpegBytes(900, 700, 3)}, {"b.jpg", jpegBytes(900, 700, 5)}}
	for name, data := range archivesOf(t, members...) {
		if name == "x.tar" {
			continue
		}
		ctx, stop := context.WithCancel(t.Context())
		var done []int
		w, faults := testWalker(t, func(entry) error { return nil })
		w.ctx, w.lax = ctx, true
		w.progress = func(stage string, n, total int) {
			if done = append(done, n); stage != "unpack" || total != len(data) || n > total {
				t.Fatalf("%s: got %s %d of %d, want at most %d", name, stage, n, total, len(data))
			}
			if n > total/3 {
				stop()
			}
		}
		err := w.walk(archiveFile(t, name, []byte(data)))
		if !errors.Is(err, context.Canceled) || len(done) == 0 || len(*faults) > 0 {
			t.Errorf("%s: got %v and %v after %d calls", name, err, *faults, len(done))
		} else if last := done[len(done)-1]; last > len(data)*2/3 {
			t.Errorf("%s: read %d of %d bytes after the stop at a third", name, last, len(data))
		}
	}
}
