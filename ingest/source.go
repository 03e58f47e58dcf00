package ingest

import (
	"context"
	"io"
	"sync/atomic"
)

// A source is the file that an archive lies in. It remembers its own error, such as a failing disk or an end of the context, by which an archive
// that could not be read is told from one that is damaged: the readers of formats pass on either. It may be read by two goroutines.
type source struct {
	ctx  context.Context
	f    io.ReaderAt
	read atomic.Int64 // bytes so far
	err  atomic.Pointer[error]
}

func (s *source) ReadAt(p []byte, at int64) (int, error) {
	err := s.ctx.Err()
	n := 0
	if err == nil {
		n, err = s.f.ReadAt(p, at)
		s.read.Add(int64(n))
	}
	if err != nil && err != io.EOF {
		s.err.CompareAndSwap(nil, &err)
	}
	return n, err
}

// failed is the first error of the source itself.
func (s *source) failed() error {
	if err := s.err.Load(); err != nil {
		return *err
	}
	return nil
}

// A target remembers the error of a writer, to tell it from that of what is copied to it.
type target struct {
	w   io.Writer
	err error
}

func (t *target) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	if err != nil {
		t.err = err
	}
	return n, err
}
