package web

import (
	"context"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"

	"hdseg/annotate/campaign"
)

// heavyAtOnce is how many requests with a picture or mask are answered at a time: all of them stay
// within one budget of memory, and a person's, one at a time, within a quarter of it.
const heavyAtOnce = 4

// roomBytes is what requests may leave behind before it is collected.
const roomBytes = 128 << 20

// slots are the places for heavy requests.
type slots struct {
	all chan struct{}
	own int // of one person

	mu     sync.Mutex
	person map[string]chan struct{}
}

func newSlots(own int) *slots {
	return &slots{all: make(chan struct{}, heavyAtOnce), own: own, person: map[string]chan struct{}{}}
}

// take waits for a place of the person's and then for one of all; false where ctx ends before.
func (s *slots) take(ctx context.Context, name string) (release func(), ok bool) {
	s.mu.Lock()
	mine := s.person[name]
	if mine == nil {
		mine = make(chan struct{}, s.own)
		s.person[name] = mine
	}
	s.mu.Unlock()
	select {
	case mine <- struct{}{}:
	case <-ctx.Done():
		return nil, false
	}
	select {
	case s.all <- struct{}{}:
		return func() { <-s.all; <-mine }, true
	case <-ctx.Done():
		<-mine
		return nil, false
	}
}

// heavy lets a signed request wait for its turn, so that nobody's requests delay another's, and
// drops it where its page does not wait any more.
func (s *Server) heavy(next handler) http.HandlerFunc {
	return s.signed(func(w http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
		release, ok := s.slots.take(r.Context(), p.Name)
		if !ok {
			return nil, r.Context().Err()
		}
		defer release()
		return next(w, r, p)
	})
}

// boundMemory makes the collector keep the process within roomBytes of what is used now, as far as
// the requests under way allow.
func boundMemory() {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetMemoryLimit(int64(m.Sys-m.HeapIdle) + roomBytes)
}
