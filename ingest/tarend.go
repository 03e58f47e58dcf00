package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// checkEnd demands the two zero blocks that end a tar, which archive/tar does not: a tar cut between two members
// would look complete.
func (w *walker) checkEnd(e entry, r io.ReadSeeker, end int64) error {
	b := make([]byte, 1024)
	if _, err := r.Seek(end, io.SeekStart); err != nil {
		return fmt.Errorf("ingest: %s: %w", e.origin, err)
	}
	if n, _ := io.ReadFull(r, b); n < len(b) || len(bytes.Trim(b, "\x00")) > 0 {
		return &ArchiveError{e.origin, errors.New("tar: cut short: the two zero blocks at the end are missing")}
	}
	return w.checkRest(e.origin, io.LimitReader(r, e.size-end-int64(len(b))))
}

// checkRest lists what follows the end of an archive, which no reader of tar would see: archives that were joined, most often.
func (w *walker) checkRest(origin string, r io.Reader) error {
	b := make([]byte, 1<<15)
	for {
		n, err := r.Read(b)
		if len(bytes.Trim(b[:n], "\x00")) > 0 {
			w.fault(fault{origin, "data_after_end", "more follows the archive's end and is not read: archives that were joined must be given one by one"})
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return &ArchiveError{origin, err}
		}
	}
}

// A tailReader remembers the last bytes of a stream, to see the end blocks of a tar that cannot be sought.
type tailReader struct {
	r     io.Reader
	zeros int // zero bytes at the end of what was read
}

func (t *tailReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if rest := bytes.TrimRight(p[:n], "\x00"); len(rest) > 0 {
		t.zeros = n - len(rest)
	} else {
		t.zeros += n
	}
	return n, err
}

// check demands the end blocks and drains the stream, which also verifies gzip's checksum.
func (t *tailReader) check(w *walker, origin string) error {
	ended := t.zeros >= 1024
	if err := w.checkRest(origin, t); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, t); err != nil {
		return &ArchiveError{origin, err}
	}
	if !ended && t.zeros < 1024 {
		return &ArchiveError{origin, errors.New("tar: cut short: the two zero blocks at the end are missing")}
	}
	return nil
}
