package boost

import (
	"sync"
	"sync/atomic"
)

// blockRows is the number of rows of one block of work. Floating-point sums are formed
// per block and added in the order of blocks, so they do not depend on the workers.
const blockRows = 8192

// parallel calls f(worker, i) once for every i in 0..n-1 on the given number of
// goroutines; worker is in 0..workers-1 and names scratch space that only one call uses
// at a time.
func parallel(workers, n int, f func(worker, i int)) {
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

// blocks returns the number of blocks of n rows.
func blocks(n int) int { return (n + blockRows - 1) / blockRows }

// block returns the half-open range of rows of block i.
func block(i, n int) (from, to int) {
	return i * blockRows, min((i+1)*blockRows, n)
}
