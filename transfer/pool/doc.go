// Package pool holds source windows, the objects of pictures whose masks are known, and
// answers with a soft mask: how the figure in a new window probably lies, judged by the windows that look
// most alike.
//
// This is the transfer step of Kuettel and Ferrari, "Figure-ground segmentation by transferring window
// masks", CVPR 2012.
package pool
