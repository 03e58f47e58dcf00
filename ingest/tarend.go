package ingest

import (
	"bytes"
	"errors"
	"io"
)

// A blockReader counts the zero blocks of a tar that were read last. Two of them end a tar, which archive/tar does not demand: one that was
// cut between two members would look complete. archive/tar reads headers, and the end, a block of 512 bytes at a time.
type blockReader struct {
	r     io.Reader
	zeros int
	other int // other blocks than of zeros since the walk set this to 0
}

func (b *blockReader) Read(p []byte) (int, error) {
	n, err := io.ReadFull(b.r, p)
	if n > 0 && err == io.ErrUnexpectedEOF {
		err = nil // if there is more to it, the next call gets it again
	}
	if n == 512 && len(p) == 512 && isZero(p) {
		b.zeros++
	} else {
		b.zeros = 0
		if n == 512 && len(p) == 512 {
			b.other++
		}
	}
	return n, err
}

// seekingBlocks lets archive/tar seek over the bytes of members, all but the last, which it reads.
type seekingBlocks struct {
	*blockReader
	io.Seeker
}

// checkEnd demands the two zero blocks that end a tar, and looks at what follows. drain reads all of that, which verifies the
// checksum of a stream.
func (w *walker) checkEnd(origin string, b *blockReader, drain bool) error {
	ended := b.zeros >= 2
	if ended {
		if err := w.checkRest(origin, b.r); err != nil {
			return err
		}
	}
	if drain {
		if _, err := io.Copy(io.Discard, b.r); err != nil {
			return &ArchiveError{origin, err}
		}
	}
	if !ended {
		return &ArchiveError{origin, errors.New("tar: cut short: the two zero blocks at the end are missing")}
	}
	return nil
}

// checkRest lists what follows the end of an archive, which no reader of it would see: archives that were joined, most often.
func (w *walker) checkRest(origin string, r io.Reader) error {
	b := make([]byte, 1<<15)
	for {
		n, err := r.Read(b)
		if !isZero(b[:n]) {
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

func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }
