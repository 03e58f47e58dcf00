//go:build !amd64 && !arm64

package network

func kernelSets() []kernelSet { return []kernelSet{genericKernels} }
