//go:build !amd64

package feature

var newField = newSparseField
