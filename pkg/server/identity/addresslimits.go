package identity

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/utils/lru"
)

// countedFor is how long an address counts as one that sends invalid tokens after its last request.
const countedFor = 10 * time.Second

// addressLimits bounds the reviews of unknown tokens so that no number of addresses with invalid tokens
// keeps others from their first review.
//
// An address is trusted until a token from it is invalid, and again once one is accepted. Trusted
// addresses share one limit. Suspect ones share another, in equal parts: with n of them, each has one
// review in n/suspectTokenRate seconds. So m new addresses take the first limit for
// m/unknownTokenRate seconds, once for each of them that is remembered.
type addressLimits struct {
	mu               sync.Mutex // guards what follows
	trusted, suspect *rate.Limiter
	// addresses has an *addressLimit for each address from which a token was reviewed.
	addresses *lru.Cache
	// suspects is the number of suspect addresses that asked in the current period, and before is
	// the number in the period before it. Both are periods of countedFor.
	suspects, before int
	period           time.Time
}

// addressLimit is the limit of one address.
type addressLimit struct {
	*rate.Limiter
	suspect bool
	// counted is the last period that the address was counted in.
	counted time.Time
}

func newAddressLimits() *addressLimits {
	return &addressLimits{
		trusted: rate.NewLimiter(unknownTokenRate, unknownTokenBurst), suspect: rate.NewLimiter(suspectTokenRate, suspectTokenBurst),
		addresses: lru.New(rememberedAddresses),
	}
}

// allow reports whether an unknown token from an address may be reviewed now. A review that is not
// allowed changes no limit.
func (l *addressLimits) allow(remoteAddr string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	address, known := l.of(remoteAddr)
	together := l.trusted
	if address.suspect {
		together = l.suspect
		l.share(address, now)
	}
	if together.TokensAt(now) < 1 || !address.AllowN(now, 1) {
		return false
	}
	if !known {
		l.addresses.Add(addressOf(remoteAddr), address)
	}
	return together.AllowN(now, 1)
}

// of returns the limit of an address, a new one if it is not known.
func (l *addressLimits) of(remoteAddr string) (_ *addressLimit, known bool) {
	if found, ok := l.addresses.Get(addressOf(remoteAddr)); ok {
		return found.(*addressLimit), true //nolint:forcetypeassert // nothing else is added
	}
	return &addressLimit{Limiter: rate.NewLimiter(addressTokenRate, addressTokenBurst)}, false
}

// share gives a suspect address its part of the limit, and returns how many parts there are.
func (l *addressLimits) share(address *addressLimit, now time.Time) (parts int) {
	parts = l.count(address, now)
	address.SetLimitAt(now, rate.Limit(min(addressTokenRate, suspectTokenRate/float64(parts))))
	address.SetBurstAt(now, max(1, suspectTokenBurst/parts))
	return parts
}

// count counts a suspect address and returns how many share their limit, at least 1.
func (l *addressLimits) count(address *addressLimit, now time.Time) int {
	switch since := now.Sub(l.period); {
	case since >= 2*countedFor:
		l.period, l.suspects, l.before = now, 0, 0
	case since >= countedFor:
		l.period, l.suspects, l.before = now, 0, l.suspects
	}
	if !address.counted.Equal(l.period) {
		address.counted = l.period
		l.suspects++
	}
	return max(l.suspects, l.before)
}

// note records whether a token from an address was accepted.
func (l *addressLimits) note(remoteAddr string, accepted bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	address, known := l.of(remoteAddr)
	if !known || address.suspect == !accepted {
		return
	}
	address.suspect = !accepted
	if accepted {
		address.SetLimitAt(now, addressTokenRate)
		address.SetBurstAt(now, addressTokenBurst)
		return
	}
	if l.share(address, now) > suspectTokenBurst {
		_ = address.AllowN(now, 1) // its part begins now: new ones take none from the ones that wait
	}
}

// addressOf returns the address of a client; over IPv6 its network of 64 bits, which one client may
// have for itself.
func addressOf(remoteAddr string) string {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil || address.Unmap().Is4() {
		return host
	}
	network, _ := address.WithZone("").Prefix(64) // 64 bits are never too many
	return network.String()
}
