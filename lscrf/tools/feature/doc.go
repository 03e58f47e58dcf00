// Package feature describes superpixels by vectors: the draft set of the paper (mean color,
// position, rootSIFT), the histograms of the published HDSeg data, cues of saliency (what tells a
// superpixel from its picture), and auto-context (what a map of probabilities says around it).
//
// It is pure: no files, clock, log or global randomness. Equal input gives equal output.
package feature
