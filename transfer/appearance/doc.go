// Package appearance learns from pictures with masks what the figures of one class look like inside
// a window, and judges the superpixels of new windows: the class-level model that all pictures of a
// class share.
//
// A window is seen at one scale, whatever its size in the picture, so that position, texture and
// shape have a meaning relative to the object. What a superpixel is described by (its place, the
// location prior of the source pool, how its colour is spread over the window and around it, its
// texture) goes to two stages of boosted trees; the second also sees what the first says of similar
// and adjacent superpixels (auto-context, Tu and Bai, PAMI 32(10), 2010).
package appearance
