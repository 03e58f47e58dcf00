// Package mrf finds labelings of least energy in pairwise Markov random fields: graphs
// whose nodes take one of L labels at a cost, and whose edges charge each pair of labels.
//
// [Problem] states an energy, [Solve] minimizes it with the method that suits it, and
// [Result] says what was found, how far the optimum can be, and why the solver stopped.
// [Solver] does the same for a series of problems without allocating. [Marginals] gives the
// probabilities that belong to the energy of a tree. [Flow] is the maximum flow underneath,
// for those who build their own graphs, and [Grid] one for pictures.
package mrf
