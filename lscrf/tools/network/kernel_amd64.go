package network

import "golang.org/x/sys/cpu"

//go:generate go run hdseg/lscrf/tools/network/internal/gen -out asm_amd64.s -stubs asm_amd64.go

// kernelSets returns the sets that run on this machine, the fastest last.
func kernelSets() []kernelSet {
	sets := []kernelSet{genericKernels}
	if cpu.X86.HasAVX2 {
		add := byVectors(addAVX2)
		sets = append(sets, kernelSet{"avx2", byCells(6, pointwiseAVX2, pointwiseGeneric), byBlocks(depthwiseAVX2, nil), add})
		if cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
			sets = append(sets, kernelSet{"vnni", byCells(12, pointwiseVNNI, sets[1].pointwise), byBlocks(depthwiseAVX2, depthwiseVNNI), add})
		}
	}
	return sets
}
