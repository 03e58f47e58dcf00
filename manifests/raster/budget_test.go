package raster

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Tasks that take a mask and then a picture all end, whatever they take, and hold little more than the budget together: at most what one
// task takes at a time.
func TestBudgetHolds(t *testing.T) {
	var most atomic.Int64
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			for round := range 20 {
				var h Hold
				h.Take(Budget / int64(1+(i+round)%5))
				time.Sleep(time.Microsecond)
				h.Take(Budget / int64(1+i%7))
				pixels.mu.Lock()
				now := pixels.used
				pixels.mu.Unlock()
				for was := most.Load(); now > was && !most.CompareAndSwap(was, now); was = most.Load() {
				}
				h.Release()
			}
		})
	}
	ended := make(chan bool)
	go func() { wg.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the tasks wait for each other")
	}
	if most.Load() > 2*Budget || most.Load() < Budget/2 {
		t.Errorf("held at most %d pixels, want up to %d", most.Load(), 2*int64(Budget))
	}
	if pixels.used != 0 || pixels.holders != 0 || pixels.waiting != 0 {
		t.Errorf("left: %d pixels, %d holders, %d waiting", pixels.used, pixels.holders, pixels.waiting)
	}
}

// A picture that does not fit waits until another is given back, and one that is larger than all until it is alone; what the header of a
// damaged picture claims is no reason to wait for ever.
func TestBudgetWaits(t *testing.T) {
	data := EncodePNG(NewRGB(300, 200))
	var a, b Hold
	a.Take(Budget - 300*200 + 1)
	done := make(chan error)
	go func() {
		_, _, err := Decode(data, DefaultLimits().Within(&b))
		done <- err
	}()
	select {
	case <-done:
		t.Fatal("the picture was decoded, although it does not fit")
	case <-time.After(50 * time.Millisecond):
	}
	a.Release()
	if err := <-done; err != nil || b.n != 300*200 {
		t.Errorf("held %d pixels, %v", b.n, err)
	}
	b.Release()
	a.Take(1 << 62)
	a.Release()
	if pixels.used != 0 {
		t.Errorf("%d pixels are left", pixels.used)
	}
}

// A task that segments a picture takes more of the budget than one that only decodes it.
func TestBudgetWeighsWork(t *testing.T) {
	for work, want := range map[Work]int64{0: 1000, Decoding: 1000, Segmenting: 5000} {
		h := Hold{Work: work}
		h.Take(1000)
		if pixels.used != want {
			t.Errorf("work %d: 1000 pixels take %d of the budget, want %d", work, pixels.used, want)
		}
		h.Release()
	}
}
