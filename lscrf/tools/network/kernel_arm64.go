package network

// kernelSets returns the sets that run on this machine, the fastest last. All have NEON.
func kernelSets() []kernelSet {
	return []kernelSet{genericKernels, {"neon", byCells(4, pointwiseNEON, pointwiseGeneric), byBlocks(depthwiseNEON, nil), byVectors(addNEON)}}
}

// pointwiseNEON is pointwiseGeneric for 4 cells; pairs is at least 1.
//
//go:noescape
func pointwiseNEON(dst *int16, to int, src *int16, from, pairs int, w *int16, add *int32, by int, low, top int16)

// depthwiseNEON is depthwiseGeneric for 16 channels; n and pairs are at least 1.
//
//go:noescape
func depthwiseNEON(dst *int16, to int, src *int16, from, n int, tap *int, pairs int, w *int16, add *int32, by int, low, top int16)

// addNEON is addGeneric for n times 16 values; n is at least 1.
//
//go:noescape
func addNEON(dst, src *int16, n int)
