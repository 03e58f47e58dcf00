// Package superpixel cuts a picture into a few hundred connected regions of similar
// colour, the nodes of the model's graph, and carries pixel labels to regions and back.
//
// It is pure: no files, clock, log or randomness. Equal input gives equal output.
package superpixel
