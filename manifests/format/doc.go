// Package format holds the foreign codecs that more than one reader or writer of data sets needs:
// VOC-style box XML, palette and binary masks, COCO run lengths and polygons, Stanford Background's
// region files. Nothing here opens a file.
package format
