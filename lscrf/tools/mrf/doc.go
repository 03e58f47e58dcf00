// Package mrf finds labelings of least energy in pairwise Markov random fields: graphs
// whose nodes take one of L labels at a cost, and whose edges charge each pair of labels.
//
// [Problem] states an energy, a [Solver] minimizes it with the method that suits it, and
// [Result] says what was found, how far the optimum can be, and why the solver stopped.
// [Flow] is the maximum flow underneath.
package mrf
