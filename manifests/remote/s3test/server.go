// Package s3test runs a real S3 server, versitygw with its POSIX backend on the loopback interface,
// for tests, and a proxy in front of it that injects faults.
package s3test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Version is the server that is built, as a module version.
const Version = "v1.8.0"

// Credentials of the server's only user.
const (
	AccessKey = "hdsegtest"
	SecretKey = "hdsegtestsecret"
)

// Bucket is the bucket that every server begins with.
const Bucket = "sets"

// A Server is a running versitygw.
type Server struct {
	URL  string
	Root string // what it stores, Root/BUCKET/KEY
	PID  int
}

var build struct {
	once sync.Once
	path string
	err  error
}

// Binary builds the server in the user's cache folder, once. HDSEG_VERSITYGW names another.
func Binary() (string, error) {
	build.once.Do(func() {
		if build.path = os.Getenv("HDSEG_VERSITYGW"); build.path != "" {
			return
		}
		cache, err := os.UserCacheDir()
		if err != nil {
			build.err = err
			return
		}
		dir := filepath.Join(cache, "hdseg-test", "versitygw-"+Version)
		build.path = filepath.Join(dir, "versitygw")
		if _, err := os.Stat(build.path); err == nil {
			return
		}
		cmd := exec.Command("go", "install", "github.com/versity/versitygw/cmd/versitygw@"+Version)
		cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod")
		cmd.Dir = os.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil {
			build.err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
		}
	})
	return build.path, build.err
}

// Start runs a server until the test ends and sets the AWS environment to its credentials. It skips
// the test where the server cannot be built.
func Start(t testing.TB) *Server {
	t.Helper()
	return start(t, t.TempDir(), func(binary string, args ...string) *exec.Cmd { return exec.Command(binary, args...) })
}

func start(t testing.TB, root string, command func(binary string, args ...string) *exec.Cmd) *Server {
	t.Helper()
	binary, err := Binary()
	if err != nil {
		t.Skipf("SKIPPED: the S3 server versitygw %s cannot be built here: %v", Version, err)
	}
	if err := os.Mkdir(filepath.Join(root, Bucket), 0o777); err != nil {
		t.Fatal(err)
	}
	s := Run(t, func(host, port string) *exec.Cmd {
		cmd := command(binary, "--port", net.JoinHostPort(host, port), "--quiet", "posix", root)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+AccessKey, "ROOT_SECRET_KEY="+SecretKey)
		return cmd
	})
	s.Root = root
	return s
}

// Run runs a server at a free port until the test ends and sets the AWS environment.
func Run(t testing.TB, command func(host, port string) *exec.Cmd) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	var log bytes.Buffer
	host, port, _ := net.SplitHostPort(addr)
	cmd := command(host, port)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen: %s", cmd.Path, log.String())
		}
	}
	for k, v := range Environment() {
		t.Setenv(k, v)
		if v == "" { // some tools take the empty name of a profile for a name
			os.Unsetenv(k)
		}
	}
	return &Server{URL: "http://" + addr, PID: cmd.Process.Pid}
}

// Environment is what the AWS tools need to speak to the server.
func Environment() map[string]string {
	return map[string]string{"AWS_ACCESS_KEY_ID": AccessKey, "AWS_SECRET_ACCESS_KEY": SecretKey, "AWS_REGION": "us-east-1",
		"AWS_DEFAULT_REGION":        "us-east-1",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_PROFILE": "", "AWS_SESSION_TOKEN": ""}
}
