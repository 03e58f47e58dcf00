// Package remote keeps data sets in S3 buckets: Push sends what a manifest names and, last and on
// condition that nobody else did, the manifest; Pull fetches it, whole or the records of some
// splits and tiers; List says what a prefix holds. Any server that speaks S3 will do.
//
// What is compared is always the sha256 of the manifest: by the server with the bytes that it
// receives, which refuses others, with the object's metadata where an object is there already, with
// the bytes that arrive here. Until a server has shown that it compares, by naming the sha256 in an
// answer, the bytes are compared here before they are sent. ETags are only conditions, never
// checksums.
//
// Under its prefix a data set lies as in its folder: images/..., masks/..., NAME.yaml and
// NAME.d/0000.DIGEST.yaml. Every name but that of the index changes with its bytes, so that any
// reader of an index finds the parts and files that it names, whatever is pushed meanwhile; what
// only an old index names stays until a push with Delete.
package remote
