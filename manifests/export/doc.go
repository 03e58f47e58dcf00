// Package export writes a data set in the formats that other programs read: the published HDSeg
// tree with its feature files, COCO instances, a VOC devkit, a Hugging Face image folder and a
// Croissant data set, each with a card. Ingest reads the same pictures,
// boxes and mask pixels from them, and from CarriedFile what a format has no words for.
//
// An export is a folder of its own. Equal input gives equal bytes; files that are there already are
// compared and kept, so that an export that was killed is finished by the same call.
package export
