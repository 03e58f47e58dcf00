//go:build !linux

package s3test

import (
	"errors"
	"testing"
)

// CanStartSmall says why not.
func CanStartSmall() error { return errors.New("it needs Linux") }

// StartSmall skips the test: only Linux lets a program mount a file system of its own.
func StartSmall(t testing.TB, _ int) *Server {
	t.Helper()
	t.Skip("SKIPPED: a server whose disk is full needs Linux")
	return nil
}

// Fill does nothing: there is no small server.
func (s *Server) Fill(testing.TB, int) (empty func()) { return func() {} }
