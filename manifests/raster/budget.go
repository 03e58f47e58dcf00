package raster

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// Budget is how many pixels all tasks of the process together may have decoded at a time: a picture
// at the default limit, or eight of a camera's with 12 million, or 500 of ImageNet. What does not
// fit waits. With what the collector has not freed yet it is a gigabyte. A larger picture waits
// until it is alone, and then takes what it needs: one of 100 million pixels 3.1 GB for Segmenting.
// Limits refuse what shall not.
const Budget = 100_000_000

// Work is what a task does with a picture: how many pixels of the Budget each of its own counts
// for.
type Work int64

// The kinds of work, by what they take at their peak per pixel.
const (
	Decoding Work = 1 // 10 bytes: the picture, a mask, and what a decoder needs beside them
	// 48 to 53 bytes: superpixels and their features, of either method and any set; 31 where
	// Collect helps
	Segmenting Work = 5
)

// Collect frees what one step of the work on a picture of so many pixels has left, before the next
// takes memory: by itself the collector waits until twice as much is in use. For pictures of below
// 10 million pixels it does nothing.
func Collect(pixels int) {
	if pixels >= 10_000_000 {
		debug.FreeOSMemory()
	}
}

// pixels counts what is held.
var pixels struct {
	mu      sync.Mutex
	moved   sync.Cond // something was given back, or a holder began to wait
	used    int64
	holders int // tasks that hold something
	waiting int // holders that wait for more
}

func init() { pixels.moved.L = &pixels.mu }

// A Hold is what one task holds of the Budget. The zero Hold holds nothing, and is for Decoding.
type Hold struct {
	Work Work
	n    int64 // pixels of the Budget
}

// Take waits until n more pixels of a picture fit into the Budget. One task at a time may go over
// it: the only one that holds anything, or one of several of which each waits for more than there
// is.
func (h *Hold) Take(n int64) {
	// what a header lies of is refused by who decodes it
	n = max(0, min(n, 1<<40)) * int64(max(h.Work, Decoding))
	p := &pixels
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.n > 0 {
		p.waiting++
		p.moved.Broadcast()
	}
	for p.used+n > Budget && p.used > 0 && !(h.n > 0 && p.waiting == p.holders) {
		p.moved.Wait()
	}
	if h.n > 0 {
		p.waiting--
	} else if n > 0 {
		p.holders++
	}
	h.n += n
	p.used += n
}

// Release gives back all that the task holds, whose pixels must not be used any more.
func (h *Hold) Release() {
	p := &pixels
	p.mu.Lock()
	if h.n > 0 {
		p.holders--
	}
	large := h.n > Budget/8
	p.used -= h.n
	h.n = 0
	p.mu.Unlock()
	if large { // else the next one stands beside what is left of this one
		runtime.GC()
	}
	p.moved.Broadcast()
}

// Within returns limits under which every picture that is decoded is taken into h before its first
// pixel is.
func (l Limits) Within(h *Hold) Limits {
	l.hold = h
	return l
}

// take waits for the pixels of a picture whose size was checked.
func (l Limits) take(width, height int) {
	if l.hold != nil {
		l.hold.Take(int64(width) * int64(height))
	}
}
