//go:build !amd64

package feature

var (
	addPair    = addPairGeneric
	addTimes   = addTimesGeneric
	scoreBlock = scoreGeneric
	newField   = newSparseField
)
