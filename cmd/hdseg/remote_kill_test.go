package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// A push or pull that is killed, cut off or out of disk, the server's or the own one, at a random request loses nothing: whoever reads meanwhile or afterwards,
// with a client that knows nothing of this program, sees no manifest that names a missing or short part or object, and after the same command again both sides
// are equal. Pulls are killed after their last request, too, while what they received becomes a data set. Five times, 24 with HDSEG_LONG=1, 200 with HDSEG_REAL=1.
func TestRemoteKills(t *testing.T) {
	longOnly(t)
	srv := s3test.Start(t)
	var small *s3test.Server
	if err := s3test.CanStartSmall(); err != nil {
		t.Logf("SKIPPED in part: pushes are killed instead of meeting a full disk of the server, and pulls meet a bound on the size of files instead of a full disk: %v", err)
	} else {
		small = s3test.StartSmall(t, 64<<20)
	}
	rounds, step := 24, 5 // every fifth: each interruption, and each transfer
	real := os.Getenv("HDSEG_REAL") != ""
	if real {
		rounds = 200
	}
	if real || long {
		step = 1
	}
	k := &killing{rng: rand.New(rand.NewPCG(1, 2)), srv: srv, small: small, requests: map[string]int{}, ends: map[string]time.Duration{}, meant: map[string]int{}, landed: map[string]int{}}
	k.one, k.two = filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	k.digests = map[string]manifests.Digest{k.one: pieces(t, k.one, 1), k.two: pieces(t, k.two, 2)}
	k.rehearse(t)
	for i := 0; i < rounds; i += step {
		k.round(t, i, []string{"killed", "cut", "disk full"}[i%3], []string{"push", "push over", "pull", "pull over"}[i/3%4])
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d rounds; interrupted while running: %v of %v; %d times a manifest was seen while a transfer ran or had ended, each time with all its parts and objects; "+
		"%d pulls were killed with all objects there and no manifest or the old one", (rounds+step-1)/step, k.landed, k.meant, k.seen, k.atEnd)
	for kind, n := range k.meant {
		least := (n + 1) / 2
		if strings.HasSuffix(kind, killedLate) {
			least = n / 4 // one that is quicker than the rehearsed one is done before it is killed
		}
		if k.landed[kind] < least {
			t.Errorf("%s: only %d of %d were interrupted", kind, k.landed[kind], n)
		}
	}
	if want := 3*4 + 2; step == 1 && len(k.meant) != want && small != nil {
		t.Errorf("got %d kinds, want %d: %v", len(k.meant), want, k.meant)
	}
}

// A killing is a row of interrupted transfers.
type killing struct {
	rng        *rand.Rand
	srv, small *s3test.Server              // small is nil where no small disk can be mounted
	one, two   string                      // data sets
	digests    map[string]manifests.Digest // of their manifests

	requests      map[string]int           // that each kind of transfer makes when nothing happens
	ends          map[string]time.Duration // and what it takes from the last of them to its end
	meant, landed map[string]int           // by kind and what happened
	seen, atEnd   int
}

// killedLate is what happens to a pull that is killed after its last request.
const killedLate = "killed in the end"

// pieces makes a data set whose manifest has two part files, of records and of skipped ones: of records alone there would be 5,000 in the first.
func pieces(t *testing.T, dir string, seed uint64) manifests.Digest {
	t.Helper()
	blobs(t, dir, seed, 30, 20_000, 1, 6<<20)
	s, m, _, err := manifests.ReadFile(filepath.Join(dir, "horseseg.yaml"))
	try(t, err)
	m.Skipped = []manifests.Skip{{Record: fmt.Sprint("left", seed), Reason: "corrupt_image"}}
	digest, err := manifests.WriteListed(s, "horseseg", m)
	try(t, err)
	return digest
}

const (
	placeOne = "s3://" + s3test.Bucket + "/one"
	placeTwo = "s3://" + s3test.Bucket + "/two"
	fivePart = "--part-mb=5"
)

// rehearse counts the requests of undisturbed transfers, so that what happens at one of them happens while they run.
func (k *killing) rehearse(t *testing.T) {
	var n, last atomic.Int64
	proxy := s3test.NewProxy(t, k.srv, func(*http.Request) s3test.Fault { n.Add(1); last.Store(time.Now().UnixNano()); return s3test.Pass })
	count := func(kind string, args ...string) {
		n.Store(0)
		if out, err := command(append(args, "--endpoint", proxy.URL, fivePart)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		k.requests[kind], k.ends[kind] = int(n.Load()), time.Duration(time.Now().UnixNano()-last.Load())
	}
	count("push", "push", k.one, placeOne)
	must(t, "push", k.one, placeTwo, "--endpoint", k.srv.URL)
	count("push over", "push", k.two, placeTwo)
	into := filepath.Join(t.TempDir(), "rehearsed")
	count("pull", "pull", placeOne, into)
	count("pull over", "pull", placeTwo, into)
	for kind, n := range k.requests {
		if n < 60 {
			t.Fatalf("%s: got %d requests, want at least one for each file", kind, n)
		}
	}
}

// round interrupts one transfer, looks at its target all the time, and runs it again.
func (k *killing) round(t *testing.T, i int, how, kind string) {
	srv, url := k.srv, fmt.Sprintf("s3://%s/k%d", s3test.Bucket, i)
	dir, args := k.one, []string{"pull", placeOne, filepath.Join(t.TempDir(), "pulled")}
	push := strings.HasPrefix(kind, "push")
	if push && how == "disk full" {
		if srv = k.small; srv == nil {
			srv, how = k.srv, "killed"
		}
	}
	late := !push && how == "killed" && i%24 >= 12 // every other time
	if late {
		how = killedLate
	}
	switch kind {
	case "push over":
		must(t, "push", k.one, url, "--endpoint", srv.URL)
		dir = k.two
	case "pull over":
		must(t, append(args, "--endpoint", srv.URL)...)
		dir, args[1] = k.two, placeTwo
	}
	var target reader = folder(args[2])
	if push {
		args, target = []string{"push", dir, url}, newPlain(t, srv, fmt.Sprint("k", i))
	}
	empty := func() {}
	if !push && how == "disk full" && k.small != nil { // into the disk that is small, whoever sends
		args[2] = filepath.Join(k.small.Root, "pulled")
		target = folder(args[2])
		if kind == "pull over" {
			must(t, "pull", placeOne, args[2], "--endpoint", srv.URL)
		}
		empty = k.small.Fill(t, k.rng.IntN(13<<20))
	}
	args = append(args, fivePart, "--progress", "none")
	c := command(append(args, "--endpoint", srv.URL)...)
	left := int64(k.rng.IntN(k.requests[kind]))
	faults := []s3test.Fault{s3test.Refuse, s3test.Lose, s3test.Truncate}
	switch {
	case late:
		left = int64(k.requests[kind])
		wait := time.Duration(k.rng.Int64N(int64(k.ends[kind])))
		proxy := s3test.NewProxy(t, srv, func(*http.Request) s3test.Fault {
			if left--; left == 0 {
				time.AfterFunc(wait, func() { c.Process.Kill() })
			}
			return s3test.Pass
		})
		c = command(append(args, "--endpoint", proxy.URL)...)
	case how == "killed":
		proxy := s3test.NewProxy(t, srv, func(*http.Request) s3test.Fault {
			if left--; left == -1 {
				c.Process.Kill()
			}
			return s3test.Pass
		})
		c = command(append(args, "--endpoint", proxy.URL)...)
	case how == "cut":
		proxy := s3test.NewProxy(t, srv, func(*http.Request) s3test.Fault {
			if left--; left < 0 {
				return faults[-left%int64(len(faults))]
			}
			return s3test.Pass
		})
		c = command(append(args, "--endpoint", proxy.URL, "--attempts", "2")...)
	case push: // the server has room for a part of it
		empty = k.small.Fill(t, k.rng.IntN(13<<20))
	case k.small == nil: // no file may grow beyond a size
		c = exec.Command("bash", append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, 15+k.rng.IntN(5_000)), program}, append(args, "--endpoint", srv.URL)...)...)
		c.Env = append(os.Environ(), "HDSEG_TEST_MAIN=1")
	}
	try(t, c.Start())
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	name := kind + ", " + how
	k.meant[name]++
	for running := true; running; {
		select {
		case err := <-done:
			if running = false; err != nil {
				k.landed[name]++
			}
		case <-time.After(5 * time.Millisecond):
			k.seen += k.observe(t, target, false)
		}
	}
	k.seen += k.observe(t, target, true)
	if late && k.whole(args[2], dir) {
		k.atEnd++
	}
	empty()
	if p, ok := target.(*plain); ok && p.has("horseseg.yaml") { // what the last one left is read as everyone does
		must(t, "pull", url, filepath.Join(t.TempDir(), "now"), "--endpoint", srv.URL)
	}
	must(t, append(args, "--endpoint", srv.URL)...)
	if k.observe(t, target, true) != 1 {
		t.Error("no manifest")
	}
	final := args[2]
	if push {
		final = filepath.Join(srv.Root, s3test.Bucket, fmt.Sprint("k", i))
	}
	sound(t, final, k.digests[dir])
	os.RemoveAll(final)
	if t.Failed() {
		t.Logf("round %d: %s", i, name)
	}
}

// whole tells whether all that a data set names is in a folder, but not its index.
func (k *killing) whole(pulled, dir string) bool {
	_, m, _, err := manifests.ReadFile(filepath.Join(dir, "horseseg.yaml"))
	if err != nil {
		return false
	}
	index, _ := os.ReadFile(filepath.Join(pulled, "horseseg.yaml"))
	for _, r := range m.Records {
		for _, p := range []string{r.Image.Path, r.Masks[0].Path} {
			if _, err := os.Stat(filepath.Join(pulled, p)); err != nil {
				return false
			}
		}
	}
	return manifests.Sum(index) != k.digests[dir]
}
