// Package manifests is the narrow waist of hdseg: everything that stages exchange is a
// Manifest of Records, and bytes in a Store named by their Digest.
//
// A stage reads one manifest and writes a new one whose Header names its parent's
// digest, its configuration's digest, the tool's version and the seed. It never edits
// its input, so stages compose in any order, a run resumes, and a line of a results
// table can be traced to the bytes it came from.
package manifests
