// Package cut separates figure from ground in one picture: colour models of both are
// fitted to a soft prior, a contrast-sensitive energy is minimized by maximum flow, and
// the two steps are repeated until the labeling does not change.
//
// It follows GrabCut (Rother, Kolmogorov and Blake, SIGGRAPH 2004) with the location
// prior and the constants of segmentation transfer (Kuettel and Ferrari, CVPR 2012). The
// package is pure: it knows pictures and numbers, not files, records or windows.
package cut
