package boost

// blockRows is the number of rows of one block of work. Floating-point sums are formed
// per block and added in the order of blocks, so they do not depend on the workers.
const blockRows = 8192

// blocks returns the number of blocks of n rows.
func blocks(n int) int { return (n + blockRows - 1) / blockRows }

// block returns the half-open range of rows of block i.
func block(i, n int) (from, to int) {
	return i * blockRows, min((i+1)*blockRows, n)
}
