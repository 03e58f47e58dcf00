// Package metric scores label maps against truth: confusion counts with per-class
// accuracy, pixel accuracy and intersection over union, the boundary F measure, and
// bootstrap and permutation statistics over images.
//
// A score that is not defined (a class that is in neither map, an image without a
// labeled pixel) is a Value that is not OK: it is left out of means, whose count says so, and
// is null in JSON. It is never 0, 1 or NaN.
package metric

// Void is the label of pixels that are not scored.
const Void = 255
