//go:build !amd64

package boost

func kernelSets() []kernelSet { return []kernelSet{genericKernels} }
