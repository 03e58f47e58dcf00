//go:build !amd64

package pool

func dots(rows *[4][]float32, x []float32) [4]float32 { return dotsGeneric(rows, x) }
