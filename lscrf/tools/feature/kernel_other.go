//go:build !amd64

package feature

var (
	addPair    = addPairGeneric
	scoreBlock = scoreGeneric
)

var newField = newSparseField
