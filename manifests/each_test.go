package manifests

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestEachKeepsOrder(t *testing.T) {
	for _, n := range []int{0, 1, 7, 300} {
		for _, workers := range []int{-1, 0, 1, 3, 8, 1000} {
			var got, want []int
			for i := range n {
				want = append(want, i*i)
			}
			err := Each(t.Context(), workers, n, func(_ context.Context, i int) (int, error) {
				for range rand.IntN(3) {
					runtime.Gosched()
				}
				return i * i, nil
			}, func(i, v int, err error) error {
				if i != len(got) || err != nil {
					t.Fatalf("got item %d, %v, want %d", i, err, len(got))
				}
				got = append(got, v)
				return nil
			})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("n = %d, %d workers: got %v, %v", n, workers, got, err)
			}
		}
	}
}

// The number of items that are begun and not yet done is at most the window and what the workers hold.
func TestEachIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 3
		var open, most, running, mostRunning atomic.Int64
		up := func(n, most *atomic.Int64) {
			v := n.Add(1)
			for m := most.Load(); v > m && !most.CompareAndSwap(m, v); m = most.Load() {
			}
		}
		err := Each(t.Context(), workers, 200, func(_ context.Context, i int) (int, error) {
			up(&open, &most)
			up(&running, &mostRunning)
			defer running.Add(-1)
			time.Sleep(time.Second)
			if i == 0 {
				time.Sleep(time.Hour) // the others run ahead as far as they may
			}
			return i, nil
		}, func(int, int, error) error {
			open.Add(-1)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := mostRunning.Load(); got != workers {
			t.Errorf("got %d at a time, want %d", got, workers)
		}
		if got := most.Load(); got != 4*workers {
			t.Errorf("got %d results in flight while the first is late, want %d", got, 4*workers)
		}
	})
}

func TestEachErrors(t *testing.T) {
	odd, stop := errors.New("odd"), errors.New("stop")
	var seen []error
	var after atomic.Bool
	err := Each(t.Context(), 4, 1000, func(_ context.Context, i int) (int, error) {
		if after.Load() {
			t.Error("work is called after Each has returned")
		}
		if i%2 == 1 {
			return 0, odd
		}
		return i, nil
	}, func(i, v int, err error) error {
		seen = append(seen, err)
		if i == 10 {
			return stop
		}
		return nil
	})
	after.Store(true)
	if err != stop {
		t.Errorf("got %v, want done's error", err)
	}
	if len(seen) != 11 || seen[1] != odd || seen[2] != nil {
		t.Errorf("got %v, want 11 results, odd ones with an error", seen)
	}
}

func TestEachCancel(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancelCause(context.Background())
		why := errors.New("interrupted")
		var calls atomic.Int64
		last := -1
		err := Each(ctx, workers, 100_000, func(ctx context.Context, i int) (int, error) {
			calls.Add(1)
			return i, nil
		}, func(i, v int, err error) error {
			if last = i; i == 20 {
				cancel(why)
			}
			return nil
		})
		if !errors.Is(err, why) || last != 20 {
			t.Errorf("%d workers: got %v after item %d, want the cause after item 20", workers, err, last)
		}
		if n := calls.Load(); n > 21+4*int64(workers)+int64(workers) {
			t.Errorf("%d workers: got %d calls", workers, n)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := Each(ctx, 2, 5, func(context.Context, int) (int, error) { t.Error("work is called"); return 0, nil },
		func(int, int, error) error { t.Error("done is called"); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// A worker that waits for something else must see the cancellation too.
func TestEachCancelsWork(t *testing.T) {
	stop := errors.New("stop")
	err := Each(t.Context(), 3, 10, func(ctx context.Context, i int) (int, error) {
		if i > 0 {
			<-ctx.Done()
		}
		return i, ctx.Err()
	}, func(i, v int, err error) error { return stop })
	if err != stop {
		t.Errorf("got %v", err)
	}
}

func TestEachTurnsPanicsIntoErrors(t *testing.T) {
	var none []int
	got := map[int]error{}
	err := Each(t.Context(), 4, 50, func(_ context.Context, i int) (*int, error) {
		switch i {
		case 7:
			panic("raster: size 0 x 0, want positive")
		case 8:
			return &none[i], nil
		}
		return &i, nil
	}, func(i int, v *int, err error) error {
		if err != nil {
			got[i] = err
			if v != nil {
				t.Errorf("item %d: got a value too", i)
			}
		}
		return nil
	})
	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v, want two errors", got, err)
	}
	if s := got[7].Error(); s != "item 7: panic: raster: size 0 x 0, want positive" {
		t.Errorf("got %q", s)
	}
	var p *PanicError
	var r runtime.Error
	if !errors.As(got[8], &p) || p.Index != 8 || !errors.As(got[8], &r) {
		t.Errorf("got %#v, want a *PanicError with the runtime's error", got[8])
	}
}
