//go:build !amd64

package mrf

// kernelsFor returns the kernels for L labels.
func kernelsFor(int) *kernels { return &plain }
