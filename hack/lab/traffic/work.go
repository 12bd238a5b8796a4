package traffic

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// Work is what requests do: each takes its mean time plus or minus up to a half, and continues to its end when its
// client has left, as most handlers do.
type Work struct {
	mean time.Duration

	mu                sync.Mutex // guards what follows
	random            *rand.Rand
	executed, useless int
	useful            []spell
}

// spell is a request whose client was still there at its end.
type spell struct {
	end   time.Time
	takes time.Duration
}

// NewWork returns work whose times are drawn by a seed.
func NewWork(mean time.Duration, seed uint64) *Work {
	return &Work{mean: mean, random: rand.New(rand.NewPCG(seed, 0))}
}

// ServeHTTP executes a request.
func (k *Work) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	takes := Around(k.mean, k.random)
	k.mu.Unlock()
	<-time.After(takes)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.executed++
	if r.Context().Err() != nil {
		k.useless++
		return
	}
	k.useful = append(k.useful, spell{time.Now(), takes})
	w.WriteHeader(http.StatusOK)
}

// Executed returns how many requests were executed, and how many of them for clients that had left.
func (k *Work) Executed() (all, useless int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.executed, k.useless
}

// Useful returns the time that requests took that ended between two times, and whose clients were still there.
func (k *Work) Useful(from, to time.Time) (sum time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.useful {
		if !s.end.Before(from) && !s.end.After(to) {
			sum += s.takes
		}
	}
	return sum
}
