package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hdseg/annotate/eventlog"
	"hdseg/manifests"
)

// A client saves as the page does: again and again under the same name until it is answered.
type client struct {
	http    http.Client
	address string
	csrf    string
}

func (c *client) send(method, path string, body, into any) (int, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequest(method, c.address+path, bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Origin", c.address)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-CSRF-Token", c.csrf)
	res, err := c.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	data, err = io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, json.Unmarshal(data, into)
}

func (c *client) login(name string) error {
	var s struct{ CSRF string }
	if _, err := c.send("POST", "/api/login", map[string]string{"name": name}, &s); err != nil {
		return err
	}
	_, err := c.send("GET", "/api/session", nil, &s)
	c.csrf = s.CSRF
	return err
}

// An answer is what a save is answered with: the line if it became the head, else what the line is now.
type answer struct {
	Head int
	Line json.RawMessage // a name, or a line
}

func (a *answer) head() int {
	var l struct{ Head int }
	json.Unmarshal(a.Line, &l)
	return l.Head
}

// TestThousandSaves lets 8 people save 1,200 masks of few images at once while the server is killed a hundred times. Every
// save that was acknowledged must be in the logs with its mask on the disk.
func TestThousandSaves(t *testing.T) {
	longOnly(t)
	manifest := drawn(t)
	store, m, _, err := manifests.ReadFile(manifest)
	try(t, err)
	const clients, saves = 8, 1200
	names := "P0,P1,P2,P3,P4,P5,P6,P7"
	s := serve(t, manifest, "127.0.0.1:0", "--reviewers", names, "--self-review")
	port := s.port()
	address := s.address

	acknowledged := make([]map[string]bool, clients) // save name: in which record
	var left, kills atomic.Int64
	left.Store(saves)
	var wg sync.WaitGroup
	errs := make([]error, clients)
	for k := range clients {
		acknowledged[k] = map[string]bool{}
		wg.Add(1)
		go func() {
			defer wg.Done()
			rng := rand.New(rand.NewPCG(8, uint64(k)))
			jar, _ := cookiejar.New(nil)
			c := &client{http: http.Client{Jar: jar, Timeout: 10 * time.Second}, address: address}
			for c.login(fmt.Sprintf("P%d", k)) != nil {
				time.Sleep(20 * time.Millisecond)
			}
			bases := map[string]int{}
			for n := 0; left.Add(-1) >= 0; n++ {
				r := &m.Records[rng.IntN(5)] // few images: many conflicts
				px := r.Image.Width * r.Image.Height
				a := 1 + n // no two masks of a person are equal: an equal one would be kept aside once
				b := px - a
				name := fmt.Sprintf("%d-%d", k, n)
				for {
					var got answer
					status, err := c.send("PUT", "/api/items/"+r.ID+"/mask", map[string]any{"width": r.Image.Width, "height": r.Image.Height,
						"runs": []int{1, a, 0, b}, "base": bases[r.ID], "save": name}, &got)
					if err != nil { // the server was killed
						time.Sleep(10 * time.Millisecond)
						continue
					}
					switch status {
					case http.StatusOK:
						bases[r.ID] = got.Head
					case http.StatusConflict:
						bases[r.ID] = got.head()
					case http.StatusForbidden: // another's draft, which is taken over first, if it is the head still
						got = answer{}
						over := map[string]any{"to": "edited", "base": bases[r.ID]}
						status, err = c.send("POST", "/api/items/"+r.ID+"/state", over, &got)
						if err == nil && status == http.StatusConflict {
							bases[r.ID] = got.head()
						}
						continue
					default:
						errs[k] = fmt.Errorf("save %s: status %d", name, status)
						return
					}
					acknowledged[k][r.ID+" "+name] = true
					break
				}
			}
		}()
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	rng := rand.New(rand.NewPCG(9, 9))
	// After 5 to 14 saves each, however fast the machine is.
	for running, next := true, saves-int64(5+rng.IntN(10)); running; {
		select {
		case <-done:
			running = false
		case <-time.After(time.Duration(rng.IntN(3000)) * time.Microsecond):
			if left.Load() > next {
				continue
			}
			next = left.Load() - int64(5+rng.IntN(10))
			s.kill()
			kills.Add(1)
			s = serve(t, manifest, "127.0.0.1:"+port, "--reviewers", names, "--self-review")
		}
	}
	total := 0
	found := map[string]int{}
	revisions := 0
	for i := range m.Records[:5] {
		r := &m.Records[i]
		log, _, err := eventlog.Read(filepath.Join(filepath.Dir(manifest), "annotate/horseseg/events", r.ID+".jsonl"))
		try(t, err)
		for _, e := range log {
			if e.Kind == eventlog.Moved { // taken over
				continue
			}
			found[r.ID+" "+e.Save]++
			revisions++
			if _, err := store.Read(e.Path, e.Mask); err != nil {
				t.Errorf("%s revision %d: %v", r.ID, e.Revision, err)
			}
		}
	}
	for k := range clients {
		if errs[k] != nil {
			t.Error(errs[k])
		}
		for name := range acknowledged[k] {
			if total++; found[name] != 1 {
				t.Errorf("save %s was acknowledged and is %d times in the log", name, found[name])
			}
		}
	}
	t.Logf("%d saves acknowledged by 8 clients over %d kills, %d revisions in the logs", total, kills.Load(), revisions)
	if total != saves || kills.Load() < 60 {
		t.Errorf("got %d acknowledged saves and %d kills, want %d and at least 60", total, kills.Load(), saves)
	}
	// One mask is accepted, and the data set is sound.
	jar, _ := cookiejar.New(nil)
	c := &client{http: http.Client{Jar: jar}, address: address}
	var l answer
	id := m.Records[0].ID
	try(t, c.login("P0"))
	if _, err := c.send("GET", "/api/items/"+id, nil, &l); err != nil {
		t.Fatal(err)
	}
	if status, err := c.send("POST", "/api/items/"+id+"/state", map[string]any{"to": "accepted", "base": l.head()}, &l); err != nil || status != 200 {
		t.Fatalf("accept: %d %v", status, err)
	}
	s.kill()
	out := filepath.Join(filepath.Dir(manifest), "reviewed.yaml")
	must(t, "annotate", "apply", "-i", manifest, "-o", out)
	must(t, "check", manifest)
	must(t, "check", out)
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(manifest), ".tmp", "*")); len(left) > 3 {
		t.Errorf("%d temporary files are left", len(left))
	}
	os.Remove(out)
}

// TestTwentyPeople lets 20 people open a picture each and save it 20 times, all at once, of the usual size and of 3 megapixels: the server stays within 300 MB. How long
// a save takes is printed.
func TestTwentyPeople(t *testing.T) {
	longOnly(t)
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the memory of another process is read from /proc")
	}
	twentyPeople(t, 500, 375)
	twentyPeople(t, 2000, 1500)
}

func twentyPeople(t *testing.T, width, height int) {
	t.Helper()
	const people = 20
	data := jpegOf(t, image.NewGray(image.Rect(0, 0, width, height)))
	var pictures []picture
	var names []string
	for k := range people {
		pictures = append(pictures, picture{fmt.Sprintf("a%d", k), append(data[:len(data):len(data)], make([]byte, k)...), width, height, 1})
		names = append(names, fmt.Sprintf("P%d", k))
	}
	s := serve(t, made(t, pictures), "127.0.0.1:0", "--annotators", strings.Join(names, ","))
	took := make([][]float64, people) // milliseconds
	var wg sync.WaitGroup
	for k := range people {
		wg.Add(1)
		go func() {
			defer wg.Done()
			jar, _ := cookiejar.New(nil)
			c := &client{http: http.Client{Jar: jar}, address: s.address}
			if err := c.login(names[k]); err != nil {
				t.Error(err)
				return
			}
			key := "/api/items/" + pictures[k].id
			res, err := c.http.Get(s.address + key + "/image")
			if err != nil {
				t.Error(err)
				return
			}
			io.Copy(io.Discard, res.Body)
			res.Body.Close()
			var got answer
			for n := range 20 {
				runs := []int{}
				for y := range height { // a disc's worth of rows
					runs = append(runs, 0, width/5+y%7, 1, width/3+n, 0, width-width/5-width/3-n-y%7)
				}
				start := time.Now()
				status, err := c.send("PUT", key+"/mask", map[string]any{"width": width, "height": height, "runs": runs, "base": got.Head, "save": fmt.Sprintf("%d-%d", k, n)}, &got)
				if err != nil || status != http.StatusOK {
					t.Errorf("save: status %d, %v", status, err)
					return
				}
				took[k] = append(took[k], time.Since(start).Seconds()*1000)
			}
		}()
	}
	wg.Wait()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	peak := 0
	status := read(t, fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if _, line, ok := strings.Cut(string(status), "VmHWM:"); !ok {
		t.Fatal("no VmHWM")
	} else if _, err := fmt.Sscan(line, &peak); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d x %d: %d saves: median %.0f ms, 95%% within %.0f ms; peak %d MB", width, height, len(all), all[len(all)/2], all[len(all)*95/100], peak/1000)
	if len(all) != 20*people || peak > 300_000 {
		t.Errorf("got %d saves and a peak of %d kB, want %d and at most 300,000", len(all), peak, 20*people)
	}
}
