//go:build !amd64

package network

func kernelSets() []kernelSet { return []kernelSet{genericKernels} }
