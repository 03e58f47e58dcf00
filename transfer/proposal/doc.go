// Package proposal finds about a hundred windows of a picture that may hold an object of the class, best first.
//
// Candidates are all windows whose sides lie on a grid, as in the exhaustive search that objectness measures begin with (Alexe, Deselaers
// and Ferrari, "Measuring the objectness of image windows", PAMI 34(11), 2012). Each is described by what a map of figure
// probabilities says of its inside, its rim and its surroundings, and by two of that paper's cues, colour contrast and edge
// density at the rim; all are sums over rectangles, read off integral images. Boosted trees, learned from windows of
// pictures with known objects, predict the overlap with an object, and what overlaps a better window too much is left out.
//
// The package is pure: no files, clock, log or randomness of its own.
package proposal
