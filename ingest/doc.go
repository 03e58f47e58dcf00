// Package ingest turns archives of mixed origin into the first manifest of a data set: one record
// per picture that the class is known to be in, its bytes stored untouched, its hand-made masks in
// canonical form.
//
// A source (VOC devkit, ImageNet synsets with boxes, a folder with masks, ...) lists tasks; tasks
// run in parallel and each ends as a record, as one or more skips with a reason code, or as a
// picture of another class. Nothing vanishes without being counted.
package ingest
