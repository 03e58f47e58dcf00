// Package feature describes superpixels by vectors: the draft set of the paper (mean
// colour, position, rootSIFT) and the histograms of the published HDSeg data.
//
// It is pure: no files, clock, log or global randomness. Equal input gives equal output.
package feature
