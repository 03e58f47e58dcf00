// Package regress trains the regressors of LS-CRF from sufficient statistics.
//
// Stats holds, per label or ordered label pair, the count, Σφ and Σφφᵀ of the features of
// all nodes or edges with those labels. The features of an edge are those of its two
// nodes, φ_st = [x_s, x_t, 1], so the statistics of all edges come from node features and
// edge lists and no edge row is ever built. Solve turns them into a Linear model in closed form;
// other solvers of the same least-squares problem and the baselines of the paper
// (logistic regression, pseudolikelihood, piecewise training) stand beside it.
//
// # Exactness
//
// What an image contributes to a sum is computed in float32, in an order that depends on that image
// alone, rounded to a multiple of 2⁻³⁰, and then added as an integer. Integer sums do not depend on
// their order, so Stats have the same bits for any number of workers, any shards and any
// order of merging, and total.Sub(fold) is bit for bit what the other folds alone give.
// The kernels for AVX2 and plain Go round alike and give the same bits.
package regress
