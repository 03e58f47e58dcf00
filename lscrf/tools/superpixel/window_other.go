//go:build !amd64

package superpixel

var assign = assignGeneric
