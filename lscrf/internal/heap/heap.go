// Package heap keeps values so that the first is found fast. Unlike those of container/heap they
// are not boxed.
package heap

// A Heap is a binary heap: no value is before the one at (i-1)/2, its parent. The zero Heap is
// empty.
type Heap[T interface{ Before(T) bool }] []T

// Push adds a value.
func (h *Heap[T]) Push(v T) {
	*h = append(*h, v)
	s := *h
	i := len(s) - 1
	for ; i > 0 && v.Before(s[(i-1)/2]); i = (i - 1) / 2 {
		s[i] = s[(i-1)/2]
	}
	s[i] = v
}

// Pop takes out a value that none is before. There must be one.
func (h *Heap[T]) Pop() T {
	s := *h
	first, v := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	for i := 0; len(s) > 0; {
		c := 2*i + 1
		if c+1 < len(s) && s[c+1].Before(s[c]) {
			c++
		}
		if c >= len(s) || !s[c].Before(v) {
			s[i] = v
			break
		}
		s[i] = s[c]
		i = c
	}
	return first
}
