// Package parallel spreads loops over goroutines.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Each calls f(worker, i) once for every i in 0..n-1 on the given number of
// goroutines; worker is in 0..workers-1 and names scratch space that only one call uses
// at a time.
func Each(workers, n int, f func(worker, i int)) {
	workers = min(workers, n)
	if workers <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(w, i)
			}
		})
	}
	wg.Wait()
}
