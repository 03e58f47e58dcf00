package s3test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// StartMoto runs a second server, of other people: moto, which keeps objects in memory and begins
// without a bucket. It is one of the Python packages of .ci/requirements.txt: without them, in
// HDSEG_PYTHON, the test is skipped.
func StartMoto(t testing.TB) *Server {
	t.Helper()
	python := os.Getenv("HDSEG_PYTHON")
	if python == "" {
		t.Skip("SKIPPED: no second S3 server: HDSEG_PYTHON is not set")
	}
	binary := filepath.Join(filepath.Dir(python), "moto_server")
	if _, err := os.Stat(binary); err != nil {
		t.Skipf("SKIPPED: no second S3 server: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	var log bytes.Buffer
	cmd := exec.Command(binary, "-H", host, "-p", port)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &Server{URL: "http://" + net.JoinHostPort(host, port), PID: cmd.Process.Pid, stop: func() { cmd.Process.Kill(); cmd.Wait() }}
	t.Cleanup(s.stop)
	s.listens(t, "moto", 2*time.Minute, &log)
	s.environment(t)
	return s
}
