package manifests

import (
	"context"
	"sync"
)

// Each calls work(ctx, i) for i = 0..n-1 on the given number of goroutines (at least one) and
// hands every result to done in the order of i, one at a time, so that whatever done
// accumulates does not depend on the number of workers. work returns its own failures as
// part of T or as err; done sees both and decides: what it returns stops the loop. At most
// 4*workers results wait for their turn. Each returns done's error or the context's.
func Each[T any](ctx context.Context, workers, n int, work func(ctx context.Context, i int) (T, error), done func(i int, v T, err error) error) error {
	workers = max(1, min(workers, n))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		v   T
		err error
	}
	// A slot per index in flight; a worker may not start an index before the slot that it reuses was consumed.
	window := 4 * workers
	slots := make([]chan result, window)
	for i := range slots {
		slots[i] = make(chan result, 1)
	}
	next := make(chan int)
	free := make(chan struct{}, window)
	go func() {
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
	}()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range workers {
		wg.Go(func() {
			for i := range next {
				v, err := work(ctx, i)
				slots[i%window] <- result{v, err}
			}
		})
	}
	for i := range n {
		select {
		case r := <-slots[i%window]:
			<-free
			if err := done(i, r.v, r.err); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}
