// Package transfer gives masks to images that have none: it moves the masks of similar windows of
// the manual tier into the boxes of an image, or into the whole image where there are none, and
// lets the image's own colours and edges decide the rest.
//
// Run is the stage, from manifest to manifest; Evaluate compares its masks with true ones. The
// method is that of Kuettel and Ferrari (CVPR 2012) and of Kuettel, Guillaumin and Ferrari (ECCV
// 2012).
package transfer
