//go:build !amd64

package regress

// The kernels in use.
var kernels = genericKernels

// kernelSets returns the sets that run on this machine.
func kernelSets() []kernelSet { return []kernelSet{genericKernels} }
