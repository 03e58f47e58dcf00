package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
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

// TestThousandSaves lets 8 people save 1,000 masks of few images at once while the server is killed again and again. Every
// save that was acknowledged must be in the logs with its mask on the disk.
func TestThousandSaves(t *testing.T) {
	longOnly(t)
	manifest := drawn(t)
	store, m, _, err := manifests.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	const clients, saves = 8, 1000
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
				a := 1 + rng.IntN(px-2)
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
	// After 50 to 150 saves each, however fast the machine is.
	for running, next := true, saves-int64(50+rng.IntN(100)); running; {
		select {
		case <-done:
			running = false
		case <-time.After(time.Duration(rng.IntN(3000)) * time.Microsecond):
			if left.Load() > next {
				continue
			}
			next -= int64(50 + rng.IntN(100))
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
		log, err := eventlog.Read(filepath.Join(filepath.Dir(manifest), "annotate/horseseg/events", r.ID+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range log {
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
	if total != saves || kills.Load() < 5 {
		t.Errorf("got %d acknowledged saves and %d kills, want %d and at least 5", total, kills.Load(), saves)
	}
	// One mask is accepted, and the data set is sound.
	jar, _ := cookiejar.New(nil)
	c := &client{http: http.Client{Jar: jar}, address: address}
	var l answer
	id := m.Records[0].ID
	if err := c.login("P0"); err != nil {
		t.Fatal(err)
	}
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
