//go:build !amd64

package regress

func kernelSets() []kernelSet { return []kernelSet{genericKernels} }
