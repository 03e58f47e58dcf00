// Package lscrf trains and applies LS-CRF models: conditional random fields over superpixel
// graphs whose potentials are regression functions, fitted in closed form (Kolesnikov,
// Guillaumin, Ferrari, Lampert, "Closed-Form Training of Conditional Random Fields for Large
// Scale Image Segmentation"). Its stages are, in order of the files:
//
//	graph.go     a picture becomes a graph of superpixels with features
//	extract.go   the graphs of a manifest, with the labels of every tier
//	collect.go   one pass over them: sufficient statistics per tier
//	train.go     a tier mix becomes a Model
//	predict.go   a Model and a graph become an energy, and its minimum a labeling
//	evaluate.go  labelings become scores on the test split
//	bench.go     tier mixes x terms become the rows of the results table
package lscrf
