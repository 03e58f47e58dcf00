package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// hostile runs a command on a file that somebody made to harm: it ends soon, with an error in a few lines or, where want is none, as it likes, and
// takes less than 256 MB.
func hostile(t *testing.T, what string, want int, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := command(append(args, "--progress", "none")...)
	c = exec.CommandContext(ctx, c.Path, c.Args[1:]...)
	c.Env = append([]string{"HDSEG_TEST_MAIN=1"}, os.Environ()...)
	var errs strings.Builder
	c.Stderr = &errs
	c.Run()
	code, peak := c.ProcessState.ExitCode(), c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10 // kB
	said := errs.String()
	if code < 0 || code == 2 || strings.Contains(said, "goroutine ") || strings.Contains(said, "panic") || want >= 0 && code != want {
		t.Errorf("%s: hdseg %s: exit %d, %.300s", what, strings.Join(args, " "), code, said)
	}
	if peak >= 256 {
		t.Errorf("%s: hdseg %s takes %d MB, want less than 256", what, args[0], peak)
	}
}

// sealedFile is a file of models or statistics, with a length before each block and the checksum at the end.
func sealedFile(magic string, blocks ...[]byte) []byte {
	data := []byte(magic)
	for _, b := range blocks {
		data = append(binary.LittleEndian.AppendUint64(data, uint64(len(b))), b...)
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// lies are variants of a JSON text, in each of which one number is another; path names it.
func lies(t *testing.T, body []byte) map[string][]byte {
	out := map[string][]byte{}
	var root any
	if err := json.Unmarshal(body, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(path+"."+k, v[k], func(x any) { v[k] = x })
			}
		case []any:
			if len(v) > 0 {
				walk(path+"[0]", v[0], func(x any) { v[0] = x })
			}
		case float64:
			for _, lie := range []float64{1 << 40, -1} {
				set(lie)
				if b, err := json.Marshal(root); err == nil {
					out[fmt.Sprintf("%s = %v", path, lie)] = b
				}
			}
			set(v)
		}
	}
	walk("", root, nil)
	return out
}

func TestHostileFiles(t *testing.T) {
	longOnly(t)
	manifest := drawn(t)
	good := read(t, "../../manifests/format/hdf5/testdata/small-earliest.h5")
	t.Chdir(t.TempDir())
	must(t, "train", "-i", manifest, "-o", "good.model", "--progress", "none")
	must(t, "train", "-i", manifest, "--shard", "0/1", "-o", "good.stats", "--progress", "none")
	picture := pictureFiles(t, manifest)[0]
	write := func(name string, data []byte) string {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, f := range []struct {
		good, magic string
		lines       [][]string
	}{
		{"good.model", "hdseg model 2\n", [][]string{{"segment", picture, "-o", "masks", "--model"}}},
		{"good.stats", "hdseg statistics 1\n", [][]string{{"merge", "-o", "merged"}, {"train", "-o", "of.model", "--tiers", "manual", "--statistics"}}},
	} {
		data := read(t, f.good)
		n := binary.LittleEndian.Uint64(data[len(f.magic):])
		body, rest := data[len(f.magic)+8:][:n], data[len(f.magic)+8+int(n):len(data)-sha256.Size]
		long := binary.LittleEndian.AppendUint64([]byte(f.magic), 1<<62)
		long = append(long, body...)
		sum := sha256.Sum256(long)
		bad := map[string][]byte{"a block of 2^62 bytes": append(long, sum[:]...), "lists in lists": sealedFile(f.magic, []byte(strings.Repeat("[", 1<<20)))}
		for line := range f.lines {
			for what, data := range bad {
				hostile(t, what, exitError, append(slices.Clone(f.lines[line]), write("bad", data))...)
			}
		}
		for what, text := range lies(t, body) {
			whole := binary.LittleEndian.AppendUint64([]byte(f.magic), uint64(len(text)))
			whole = slices.Concat(whole, text, rest)
			sum := sha256.Sum256(whole)
			hostile(t, f.good+" "+what, -1, append(slices.Clone(f.lines[0]), write("bad", append(whole, sum[:]...)))...)
		}
	}
	for i := 1; i < 60; i++ {
		bad := slices.Clone(good)
		binary.LittleEndian.PutUint64(bad[len(bad)*i/60&^7:], 1<<40)
		hostile(t, fmt.Sprintf("MAT, word %d", i), -1, "ingest", "-c", "horseseg", "--segments", write("bad.mat", bad), "-o", fmt.Sprintf("mat%d", i))
	}
}

// A manifest in a bucket is written by anybody.
func TestHostileBucket(t *testing.T) {
	srv := s3test.Start(t)
	dir := filepath.Join(srv.Root, s3test.Bucket)
	head := "schema: 1\nname: \"horseseg\"\ndataset: \"x\"\nstage: \"transfer\"\n"
	digest := manifests.Sum(nil)
	for what, text := range map[string]string{
		"a list of a million": head + "parts: [" + strings.Repeat("a,", 500_000), "lists in lists": head + "parts: " + strings.Repeat("[", 900_000),
		"aliases":          head + "a: &a [" + strings.Repeat("x,", 1000) + "]\nb: &b [" + strings.Repeat("*a,", 1000) + "]\nc: [" + strings.Repeat("*b,", 1000) + "]\n",
		"records and none": head + "records: 1000000000000\ncounts: []\nparts: []\n", "a part elsewhere": head + "parts: [{path: ../x, sha256: " + string(digest) + "}]\n",
		"a large index": head + strings.Repeat("#", 20<<20),
	} {
		if err := os.WriteFile(filepath.Join(dir, "horseseg.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		into := filepath.Join(t.TempDir(), "into")
		hostile(t, what, exitError, "pull", "s3://"+s3test.Bucket, into, "--endpoint", srv.URL)
	}
}
