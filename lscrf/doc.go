// Package lscrf trains and applies LS-CRF models: conditional random fields over superpixel
// graphs whose potentials are regression functions (Kolesnikov, Guillaumin, Ferrari, Lampert,
// "Closed-Form Training of Conditional Random Fields for Large Scale Image Segmentation"), and the
// baselines of that paper. Data flow one way, in the order of the files:
//
//	graph.go        a picture becomes a graph of superpixels with features
//	vocabulary.go   the words that some features count, from training pictures
//	extract.go      the graphs of a manifest, with the labels of every tier, in a cache
//	tiers.go        which tier of an image a mix of tiers takes
//	collect.go      one pass over graphs: sufficient statistics per tier and fold
//	partial.go      statistics of shards, in files, and their sum
//	dataset.go      the graphs of a mix in memory, for what needs rows again and again
//	widen.go        context and tree features, the same for training and prediction
//	treefit.go      trees and tree features on a dataset; checkpoint.go resumes them
//	trainer.go      a Spec becomes a Model
//	regressor.go    what a model predicts with; model.go its file
//	predict.go      a Model and a graph become an energy, and its minimum a labeling
//	scored.go       pictures with true pixels
//	evaluate.go     labelings become scores; crossvalidate.go, folds.go on training images
//	bench.go        specs and scores become the rows of the results table
package lscrf
