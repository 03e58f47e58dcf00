package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"hdseg/manifests"
	"hdseg/manifests/remote"
	"hdseg/manifests/remote/s3test"
)

// TestRemoteSpeed prints the table of manifests/BENCHMARKS.md:
//
//	TMPDIR=/dev/shm HDSEG_SPEED=1 HDSEG_S5CMD=s5cmd HDSEG_AWS=aws go test ./cmd/hdseg -run TestRemoteSpeed -v -timeout 30m
//
// Every tool pushes the same files to a prefix of its own on the same server, in turns; a line is the median of the turns: wall time and its range, processor
// time of the tool and of the server. HDSEG_SPEED may name one of the sets alone. "bare PUTs" are the floor: one PUT for each file, four at a time, which neither computes nor sends a checksum.
func TestRemoteSpeed(t *testing.T) {
	if os.Getenv("HDSEG_SPEED") == "" {
		t.Skip("SKIPPED: some minutes and 4 GB of disk: set HDSEG_SPEED=1, HDSEG_S5CMD and HDSEG_AWS")
	}
	srv := s3test.Start(t)
	base := t.TempDir()
	tool := func(name string, args ...string) func(ctx context.Context, dir, to string) *exec.Cmd {
		path := os.Getenv(name)
		return func(ctx context.Context, dir, to string) *exec.Cmd {
			if path == "" {
				return nil
			}
			full := append(slices.Clone(args), dir+"/", to+"/")
			return exec.CommandContext(ctx, path, full...)
		}
	}
	tools := []struct {
		name string
		cmd  func(ctx context.Context, dir, to string) *exec.Cmd
	}{
		{"hdseg push", func(_ context.Context, dir, to string) *exec.Cmd {
			return command("push", dir, to, "--endpoint", srv.URL, "--progress", "none")
		}},
		{"s5cmd cp", tool("HDSEG_S5CMD", "--endpoint-url", srv.URL, "--log", "error", "cp")},
		{"bare PUTs", func(_ context.Context, dir, to string) *exec.Cmd {
			c := exec.Command(program, dir, to, srv.URL)
			c.Env = append(os.Environ(), "HDSEG_TEST_FLOOR=1")
			return c
		}},
		{"aws s3 sync", tool("HDSEG_AWS", "s3", "sync", "--only-show-errors", "--endpoint-url", srv.URL)},
	}
	const small, large, turns = 1000, 10, 5 // records, each with two objects
	for i, c := range []struct {
		name         string
		small, large int
		bytes        int // of a large one; hdseg sends those above 64 MiB in parts
	}{
		{"2,000 objects of 100 KB", small, 0, 0}, {"20 objects of 64 MiB", 0, large, 64 << 20}, {"both in one push", small, large, 64 << 20},
		{"14 objects of 100 MB", 0, 7, 100_000_000},
	} {
		if only := os.Getenv("HDSEG_SPEED"); only != "1" && only != c.name {
			continue
		}
		set := fmt.Sprintf("set-%d", i)
		dir := filepath.Join(base, set)
		blobs(t, dir, 5, c.small, 100_000, c.large, c.bytes)
		os.RemoveAll(filepath.Join(dir, ".tmp"))
		var times, own, server = map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
		for turn := range turns {
			for k := range tools {
				tl := tools[(k+turn)%len(tools)]
				to := fmt.Sprintf("s3://%s/%s-%d-%d", s3test.Bucket, set, turn, k)
				cmd := tl.cmd(t.Context(), dir, to)
				if cmd == nil {
					continue
				}
				start, before := time.Now(), processorTime(t, srv.PID)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v: %s", tl.name, err, out)
				}
				times[tl.name] = append(times[tl.name], time.Since(start).Seconds())
				own[tl.name] = append(own[tl.name], (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
				server[tl.name] = append(server[tl.name], (processorTime(t, srv.PID) - before).Seconds())
				try(t, os.RemoveAll(filepath.Join(srv.Root, s3test.Bucket, filepath.Base(to))))
			}
		}
		for _, tl := range tools {
			if v := times[tl.name]; len(v) > 0 {
				slices.Sort(v)
				slices.Sort(own[tl.name])
				slices.Sort(server[tl.name])
				mid := len(v) / 2
				t.Logf("| %s | %s | %.2f s | %.2f to %.2f s | %.2f s | %.2f s |", c.name, tl.name, v[mid], v[0], v[len(v)-1], own[tl.name][mid], server[tl.name][mid])
			}
		}
		os.RemoveAll(dir)
	}
}

// TestRemoteNothing prints the last line of that table, a push with nothing to do: HDSEG_SPEED=1 go test ./cmd/hdseg -run TestRemoteNothing -v
func TestRemoteNothing(t *testing.T) {
	if os.Getenv("HDSEG_SPEED") == "" {
		t.Skip("SKIPPED: half a minute: set HDSEG_SPEED=1")
	}
	srv := s3test.Start(t)
	dir := filepath.Join(t.TempDir(), "many")
	blobs(t, dir, 6, 5000, 1000, 0, 0)
	to := "s3://" + s3test.Bucket + "/many"
	push := func() (wall, own, server float64) {
		c := command("push", dir, to, "--endpoint", srv.URL, "--progress", "none")
		start, before := time.Now(), processorTime(t, srv.PID)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return time.Since(start).Seconds(), (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), (processorTime(t, srv.PID) - before).Seconds()
	}
	push()
	var v, own, server []float64
	for range 5 {
		w, o, s := push()
		v, own, server = append(v, w), append(own, o), append(server, s)
	}
	slices.Sort(v)
	slices.Sort(own)
	slices.Sort(server)
	t.Logf("| nothing to do, 10,000 objects | hdseg push | %.2f s | %.2f to %.2f s | %.2f s | %.2f s |", v[2], v[0], v[4], own[2], server[2])
}

// bare puts the files of a folder to a place, four at a time, each in one request whose body nothing vouches for.
func bare(dir, to, endpoint string) error {
	ctx := context.Background()
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	api := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.BaseEndpoint, o.UsePathStyle = aws.String(endpoint), true
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.APIOptions = append(o.APIOptions, v4.SwapComputePayloadSHA256ForUnsignedPayloadMiddleware)
	})
	bucket, prefix, err := remote.ParseURL(to)
	if err != nil {
		return err
	}
	var files []string
	err = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	return manifests.Each(ctx, 4, len(files), func(ctx context.Context, i int) (struct{}, error) {
		f, err := os.Open(files[i])
		if err != nil {
			return struct{}{}, err
		}
		defer f.Close()
		st, err := f.Stat()
		if err != nil {
			return struct{}{}, err
		}
		rel, err := filepath.Rel(dir, files[i])
		if err != nil {
			return struct{}{}, err
		}
		_, err = api.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: aws.String(prefix + "/" + filepath.ToSlash(rel)), Body: f, ContentLength: aws.Int64(st.Size())})
		return struct{}{}, err
	}, func(_ int, _ struct{}, err error) error { return err })
}

func init() {
	if os.Getenv("HDSEG_TEST_FLOOR") == "" {
		return
	}
	if err := bare(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// processorTime is what a process has used, to a hundredth of a second. It needs Linux.
func processorTime(t testing.TB, pid int) time.Duration {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip("SKIPPED: ", err)
	}
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:])) // proc(5): from the third field on
	var user, system time.Duration
	if _, err := fmt.Sscan(f[11]+" "+f[12], &user, &system); err != nil {
		t.Fatal(err)
	}
	return (user + system) * 10 * time.Millisecond
}
