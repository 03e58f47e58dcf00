package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hdseg/manifests/remote/s3test"
)

// A step is a command that works in a copy of the drawn data set, or makes one.
type step struct {
	name string
	args func(dir string) []string
}

func steps(t *testing.T) []step {
	_, build := world(t, false)
	at := func(dir, name string) string { return filepath.Join(dir, name) }
	return []step{
		{"ingest", func(dir string) []string {
			return append(append([]string{"ingest"}, build[1:len(build)-2]...), "-o", at(dir, "new"))
		}},
		{"transfer", func(dir string) []string {
			return []string{"transfer", at(dir, "stages/split.yaml"), "--set", "transfer.pool.neighbors=3", "-o", at(dir, "again.yaml")}
		}},
		{"features", func(dir string) []string {
			return []string{"features", at(dir, "horseseg.yaml"), "--set", "superpixel.count=200"}
		}},
		{"train", func(dir string) []string {
			return []string{"train", at(dir, "horseseg.yaml"), "--preset", "fast", "-o", at(dir, "m.model")}
		}},
		{"bench", func(dir string) []string {
			return []string{"bench", at(dir, "horseseg.yaml"), "--preset", "fast", "--terms", "unary", "--balance", "paper"}
		}},
		{"export", func(dir string) []string {
			return []string{"export", at(dir, "horseseg.yaml"), "--format", "coco", "-o", at(dir, "coco")}
		}},
		{"build", func(dir string) []string { return append(build[:len(build):len(build)], "-o", at(dir, "built")) }},
	}
}

// A command that was killed, or that met a full disk, ends after the same command with the bytes of
// an undisturbed one: each ten times killed and twice out of disk, of which 60 and 8 must have met
// it at work. Pushes and pulls have TestRemoteKills.
func TestKillsAndFullDisks(t *testing.T) {
	longOnly(t)
	set := filepath.Dir(drawn(t))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	const kills, disks = 10, 2
	var small *s3test.Server
	if err := s3test.CanStartSmall(); err != nil {
		t.Logf("SKIPPED in part: no full disks: %v", err)
	} else {
		small = s3test.StartSmall(t, 64<<20)
	}
	fresh := func(dir string) string {
		t.Helper()
		try(t, os.CopyFS(dir, os.DirFS(set)))
		return dir
	}
	but := []string{"*.run.yaml", ".tmp", ".work/transfer"} // its journal has times
	digest := func(dir string) string { t.Helper(); return treeOf(t, dir, but...) }
	killed, full := 0, 0
	for _, s := range steps(t) {
		clean := fresh(filepath.Join(t.TempDir(), "set"))
		start := time.Now()
		must(t, s.args(clean)...)
		whole := time.Since(start)
		want, before := digest(clean), sizeOf(t, set)
		grown := sizeOf(t, clean) - before
		met := 0
		for i := 0; met < kills && i < 3*kills; i++ { // on a busy machine commands may be done before
			dir := fresh(filepath.Join(t.TempDir(), "set"))
			c := command(s.args(dir)...)
			try(t, c.Start())
			time.Sleep(time.Duration(rng.Float64() * 0.8 * float64(whole)))
			c.Process.Kill()
			c.Wait() // its error is the kill
			if c.ProcessState.ExitCode() < 0 {
				met++
			}
			must(t, s.args(dir)...)
			if digest(dir) != want {
				t.Errorf("%s, kill %d: other bytes than undisturbed: %s", s.name, i, differing(t, clean, dir, but...))
			}
		}
		killed += met
		for i := range disks {
			if small == nil {
				break
			}
			dir := fresh(filepath.Join(small.Root, s.name))
			empty := small.Fill(t, rng.IntN(max(int(grown), 1)))
			_, errs, code := hdseg(t, s.args(dir)...)
			if code != exitDone {
				if full++; !strings.Contains(errs, "no space left on device") {
					t.Errorf("%s, disk %d: the error says %s", s.name, i, errs)
				}
			}
			empty()
			must(t, s.args(dir)...)
			if digest(dir) != want {
				t.Errorf("%s, full disk %d: other bytes than undisturbed: %s", s.name, i, differing(t, clean, dir, but...))
			}
			try(t, os.RemoveAll(dir))
		}
	}
	t.Logf("%d kills, %d full disks", killed, full)
	if killed < 60 || small != nil && full < 8 {
		t.Errorf("%d kills and %d full disks met a command at work, want 60 and 8", killed, full)
	}
}

// sizeOf adds up the sizes of the files of a data set; see filesOf.
func sizeOf(t *testing.T, dir string) (n int64) {
	t.Helper()
	for _, data := range filesIn(t, dir, "*.run.yaml", ".work", ".tmp", "report") {
		n += int64(len(data))
	}
	return n
}

// differing says which files of two folders are in one alone or have other bytes; see filesIn.
func differing(t *testing.T, want, got string, but ...string) string {
	t.Helper()
	a, b := filesIn(t, want, but...), filesIn(t, got, but...)
	var out []string
	for name, data := range a {
		if other, ok := b[name]; !ok {
			out = append(out, name+" is missing")
		} else if other != data {
			out = append(out, name+" differs")
		}
		delete(b, name)
	}
	for name := range b {
		out = append(out, name+" is left over")
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
