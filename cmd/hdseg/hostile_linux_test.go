package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hdseg/manifests"
	"hdseg/manifests/raster"
	"hdseg/manifests/remote/s3test"
)

// hostile runs a command on a file that somebody made to harm: it ends soon, with an error in a few lines or, where want is none, as it likes, and
// takes less than 256 MB. It returns the exit code.
func hostile(t *testing.T, what string, want int, args ...string) int {
	t.Helper()
	said, code, peak := peakOf(t, time.Minute, append(args, "--progress", "none")...)
	if code < 0 || code == 2 || strings.Contains(said, "goroutine ") || strings.Contains(said, "panic") || want >= 0 && code != want {
		t.Errorf("%s: hdseg %s: exit %d, %.300s", what, strings.Join(args, " "), code, said)
	}
	if peak >= 256<<10 || peak == 0 {
		t.Errorf("%s: hdseg %s takes %d kB, want less than 256 MB", what, args[0], peak)
	}
	return code
}

// peakOf runs a command, for as long as it may take, and returns what it says to the user, its exit code, and the memory at its peak in kB.
func peakOf(t *testing.T, most time.Duration, args ...string) (said string, code, peak int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	file := filepath.Join(t.TempDir(), "peak") // what the system says of a child that has ended counts its parent's memory too
	c.Env = append([]string{"HDSEG_TEST_MAIN=1", "HDSEG_TEST_PEAK=" + file}, os.Environ()...)
	var errs strings.Builder
	c.Stderr = &errs
	c.Run()
	status, _ := os.ReadFile(file)
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Sscan(line, &peak)
	return errs.String(), c.ProcessState.ExitCode(), peak
}

// A transfer that learns from pictures of a camera, six at once, has room for one at a time where it cuts figures out.
func TestTransferMemory(t *testing.T) {
	longOnly(t)
	t.Chdir(t.TempDir())
	const width, height = 4000, 3000
	try(t, os.MkdirAll("pets/images", 0o777), os.MkdirAll("pets/masks", 0o777))
	px, mask := raster.NewRGB(width, height), image.NewGray(image.Rect(0, 0, width, height))
	for i := range 7 {
		for y := range height {
			for x := range width {
				figure := (x-1500-100*i)*(x-1500-100*i)+(y-1500)*(y-1500) < 700*700
				mask.Pix[y*width+x] = 0
				if figure {
					mask.Pix[y*width+x] = 255
				}
				for k := range 3 {
					px.Pix[3*(y*width+x)+k] = byte(x/16*(k+1) ^ y/16*(i+1))
					if figure {
						px.Pix[3*(y*width+x)+k] = byte(200 - 60*k + x/8%16)
					}
				}
			}
		}
		text := bytes.Buffer{}
		err := os.WriteFile(fmt.Sprintf("pets/images/%d.png", i), raster.EncodePNG(px), 0o666)
		if i > 0 { // the first one is for transfer
			err = errors.Join(err, png.Encode(&text, mask), os.WriteFile(fmt.Sprintf("pets/masks/%d.png", i), text.Bytes(), 0o666))
		}
		try(t, err)
	}
	must(t, "init", "pet")
	must(t, "ingest", "-c", "pet.yaml", "--folder", "pets", "-o", "out")
	said, code, peak := peakOf(t, 10*time.Minute, "transfer", "-c", "pet.yaml", "out/stages/ingest.yaml", "-j", "6", "-o", "out/pet.yaml")
	t.Logf("peak %d MB", peak>>10)
	if code != exitDone || peak > 2000<<10 || peak == 0 {
		t.Errorf("exit %d, %d kB at the peak, want at most 2000 MB: %s", code, peak, said)
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

// A hostileIndex is features/index.json, see lscrf/tools/cache.
type hostileIndex struct {
	Key    string         `json:"key"`
	Dim    int            `json:"dim"`
	Shards []hostileShard `json:"shards"`
}

type hostileShard struct {
	File   string           `json:"file"`
	Bytes  int64            `json:"bytes"`
	SHA256 manifests.Digest `json:"sha256"`
	Head   uint32           `json:"head"`
	Tail   uint32           `json:"tail"`
	Images []struct {
		ID    string `json:"id"`
		Split string `json:"split"`
		Start int64  `json:"start"`
		End   int64  `json:"end"`
		CRC   uint32 `json:"crc"`
	} `json:"images"`
}

// lyingArrow are variants of a feature file, in each of which one word of 8 bytes is 2^40, and the index under which all digests and
// checksums are right. Half lie in what describes the first batch and the file's end, where sizes stand.
func lyingArrow(t *testing.T, data, index []byte) (out [][2][]byte) {
	t.Helper()
	var ix hostileIndex
	if err := json.Unmarshal(index, &ix); err != nil || len(ix.Shards) != 1 {
		t.Fatalf("%d shards, %v", len(ix.Shards), err)
	}
	if again, err := json.Marshal(ix); err != nil || string(again)+"\n" != string(index) {
		t.Fatalf("another form of index: %s", again)
	}
	s, sum := &ix.Shards[0], crc32.MakeTable(crc32.Castagnoli)
	n, tail := len(s.Images), len(data)-int(s.Images[len(s.Images)-1].End)
	var at []int
	for i := range 24 {
		at = append(at, int(s.Images[0].Start)+32*i, len(data)-tail+tail*i/24, int(s.Images[0].Start)*i/24, (len(data)-8)*i/24)
	}
	for _, p := range at {
		bad := slices.Clone(data)
		binary.LittleEndian.PutUint64(bad[min(p&^7, len(bad)-8):], 1<<40)
		for i := range s.Images {
			s.Images[i].CRC = crc32.Checksum(bad[s.Images[i].Start:s.Images[i].End], sum)
		}
		s.SHA256, s.Head, s.Tail = manifests.Sum(bad), crc32.Checksum(bad[:s.Images[0].Start], sum), crc32.Checksum(bad[s.Images[n-1].End:], sum)
		text, err := json.Marshal(ix)
		try(t, err)
		out = append(out, [2][]byte{bad, append(text, '\n')})
	}
	return out
}

// Features whose sizes lie, under digests and checksums that are right.
func TestHostileFeatures(t *testing.T) {
	longOnly(t)
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	file, index := filepath.Join(dir, "features", "0000.arrow"), filepath.Join(dir, "features", "index.json")
	to := t.TempDir()
	lines := [][]string{{"features", manifest}, {"train", manifest, "--preset", "paper", "-o", filepath.Join(to, "of.model")},
		{"bench", manifest, "--preset", "paper", "--terms", "unary", "--balance", "paper"}, {"info", file}, {"check", manifest},
		{"export", manifest, "--format", "hdseg", "--features", "-o", filepath.Join(to, "tree")}}
	refused := make([]int, len(lines))
	for i, lie := range lyingArrow(t, read(t, file), read(t, index)) {
		try(t, os.WriteFile(file, lie[0], 0o666), os.WriteFile(index, lie[1], 0o666))
		for k, line := range lines {
			if hostile(t, fmt.Sprintf("Arrow, lie %d", i), -1, line...) == exitError {
				refused[k]++
			}
		}
		try(t, os.RemoveAll(filepath.Join(to, "tree")))
	}
	for k, line := range lines {
		t.Logf("%s refuses %d of 96 feature files", line[0], refused[k])
		if refused[k] < 10 {
			t.Errorf("%s refuses %d of 96 feature files whose sizes lie, want 10 or more", line[0], refused[k])
		}
	}
}

// lies are variants of a JSON text, in each of which one number is another; path names it.
func lies(t *testing.T, body []byte) map[string][]byte {
	out := map[string][]byte{}
	var root any
	try(t, json.Unmarshal(body, &root))
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
		try(t, os.WriteFile(name, data, 0o666))
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
		try(t, os.WriteFile(filepath.Join(dir, "horseseg.yaml"), []byte(text), 0o666))
		into := filepath.Join(t.TempDir(), "into")
		hostile(t, what, exitError, "pull", "s3://"+s3test.Bucket, into, "--endpoint", srv.URL)
	}
}

// Models, statistics and features that somebody put into a bucket: a pull leaves them there, and as pictures of a manifest with right
// digests they are named by check.
func TestHostileObjects(t *testing.T) {
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	long := func(magic string) []byte {
		data := binary.LittleEndian.AppendUint64([]byte(magic), 1<<62)
		sum := sha256.Sum256(data)
		return append(data, sum[:]...)
	}
	lie := lyingArrow(t, read(t, filepath.Join(dir, "features", "0000.arrow")), read(t, filepath.Join(dir, "features", "index.json")))[1]
	objects := map[string][]byte{"models/trees/x.model": long("hdseg model 2\n"), "all.stats": long("hdseg statistics 1\n"),
		"features/0000.arrow": lie[0], "features/index.json": lie[1]}
	srv := s3test.Start(t)
	to := []string{"s3://" + s3test.Bucket, "--endpoint", srv.URL}
	must(t, append([]string{"push", manifest}, to...)...)
	for name, data := range objects {
		file := filepath.Join(srv.Root, s3test.Bucket, name)
		try(t, os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, data, 0o666))
	}
	into := filepath.Join(t.TempDir(), "into")
	hostile(t, "objects beside a data set", exitDone, "pull", to[0], into, to[1], to[2])
	for name := range objects {
		if data, err := os.ReadFile(filepath.Join(into, name)); err == nil && bytes.Equal(data, objects[name]) {
			t.Errorf("pull takes %s, which no manifest names", name)
		}
	}
	must(t, "check", filepath.Join(into, "horseseg.yaml"))
	for name, data := range objects {
		s, m, _, err := manifests.ReadFile(manifest)
		try(t, err)
		r := first(m, manifests.Train, manifests.Manual)
		m.Records = slices.DeleteFunc(m.Records, func(o manifests.Record) bool { return o.ID != r.ID })
		r = &m.Records[0]
		if r.Image.Path, r.Image.SHA256, err = s.Put("images", "bad", strings.TrimPrefix(filepath.Ext("x."+r.Image.Format), "."), data); err != nil {
			t.Fatal(err)
		}
		m.Parent, m.Stage = "", manifests.StageChoice
		bad := filepath.Join(dir, "bad.yaml")
		if _, err := manifests.Write(s, "bad", m); err != nil {
			t.Fatal(err)
		}
		at := []string{to[0] + "/bad", to[1], to[2]}
		must(t, append([]string{"push", bad, "--replace"}, at...)...)
		into := filepath.Join(t.TempDir(), "into")
		if hostile(t, name+" as a picture", -1, "pull", at[0], into, at[1], at[2]) == exitDone {
			hostile(t, name+" as a picture", exitError, "check", filepath.Join(into, "bad.yaml"))
		}
	}
}
