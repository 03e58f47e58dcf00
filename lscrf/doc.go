// Package lscrf trains and applies LS-CRF models: conditional random fields over superpixel graphs
// whose potentials are regression functions (Kolesnikov, Guillaumin, Ferrari, Lampert, "Closed-Form
// Training of Conditional Random Fields for Large Scale Image Segmentation"), and the baselines of
// that paper. Data flow one way, in the order of the files:
//
//	graph.go       a picture becomes a graph of superpixels with features
//	extract.go     the graphs of a manifest, with the labels of every tier; the words of features
//	source.go      where graphs come from: a feature cache, memory, a subset
//	groups.go      near-duplicates, which folds.go never parts
//	options.go     the settings of training
//	spec.go        which model: a mix of tiers, a kind, terms, a balance
//	trainer.go     a Spec becomes a Model
//	statistics.go  one pass over graphs: sufficient statistics per tier; shards.go adds them up
//	dataset.go     the graphs of a mix in memory, for what needs rows again and again
//	treefit.go     trees and tree features on a dataset
//	choose.go      settings of the energy by cross-validation within the training images
//	kept.go        finished models, for a table that was interrupted
//	regressor.go   what a model predicts with; model.go its file
//	predict.go     a Model and a graph become an energy, and its minimum a labeling
//
// Package bench measures models.
package lscrf
