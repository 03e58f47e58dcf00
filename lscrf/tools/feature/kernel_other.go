//go:build !amd64

package feature

var (
	addPair    = addPairGeneric
	scoreBlock = scoreGeneric
	newField   = newSparseField
)
