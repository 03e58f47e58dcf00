package manifests

import (
	"context"
	"fmt"
	"sync"
)

// Each calls work(ctx, i) for i = 0..n-1 on the given number of goroutines (at least one) and hands
// every result to done in the order of i, one at a time. done sees the failures of work and
// decides: what it returns stops the loop. A panic in work becomes a *PanicError for done. At most
// 4*workers results wait for their turn. Each returns done's error or the context's when all its
// goroutines have ended.
func Each[T any](ctx context.Context, workers, n int, work func(ctx context.Context, i int) (T, error),
	done func(i int, v T, err error) error) error {
	workers = max(1, min(workers, n))
	ctx, cancel := context.WithCancelCause(ctx)
	type result struct {
		v   T
		err error
	}
	// Index i uses slot i%window and waits until the result there is consumed, so a send never
	// blocks.
	window := 4 * workers
	slots := make([]chan result, window)
	for i := range slots {
		slots[i] = make(chan result, 1)
	}
	next := make(chan int)
	free := make(chan struct{}, window)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(nil)
	wg.Go(func() {
		defer close(next)
		for i := range n {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for range workers {
		wg.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				v, err := recovered(ctx, i, work)
				slots[i%window] <- result{v, err}
			}
		})
	}
	for i := range n {
		select {
		case r := <-slots[i%window]:
			<-free
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := done(i, r.v, r.err); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return context.Cause(ctx)
}

func recovered[T any](ctx context.Context, i int, work func(ctx context.Context, i int) (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = *new(T), &PanicError{i, p}
		}
	}()
	return work(ctx, i)
}

// A PanicError is a panic in the work of Each.
type PanicError struct {
	Index int // of the item
	Value any // what was passed to panic
}

func (e *PanicError) Error() string { return fmt.Sprintf("item %d: panic: %v", e.Index, e.Value) }

// Unwrap returns the value if it is an error, as a runtime.Error is.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
