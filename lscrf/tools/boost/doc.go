// Package boost trains oblivious gradient-boosted trees: every level of a tree asks the
// same question "is feature f above border b?" in all its nodes, so a tree of depth d is
// d questions and a table of 2^d values.
//
// Features are cut at quantile borders into at most 256 bins (Binning, Binned). A Design
// says what the rows of the data are: the rows of a Binned, or pairs of them given by an
// edge list, where a pair row is never built: feature f < Dim of edge (s, t) is feature f
// of node s, feature f >= Dim is feature f-Dim of node t.
//
// Training sums gradients per (leaf, feature, bin) in integers, so that sums are exact
// in any order: a model's bytes do not depend on the number of workers.
//
// The method is that of CatBoost's symmetric trees (Prokhorenkova et al., "CatBoost:
// unbiased boosting with categorical features", NeurIPS 2018), without ordered boosting.
package boost
