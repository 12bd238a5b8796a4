package identity

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// attackers is how many addresses attack.
const attackers = 1000

// attack lets many addresses ask for the review of an invalid token five times a second, before
// everybody else, until the address of a client gets a review, and returns how long that took. The
// client asks once a second, as the Retry-After of the answer says.
func attack(l *addressLimits, begin time.Time, client string) (took time.Duration, reviewed bool) {
	const tick = 200 * time.Millisecond
	for ; took < time.Hour; took += tick {
		now := begin.Add(took)
		for i := range attackers {
			attacker := fmt.Sprintf("10.0.%d.%d:1", i/256, i%256)
			if l.allow(attacker, now) {
				l.note(attacker, false, now)
			}
		}
		if took%time.Second == 0 && l.allow(client, now) {
			return took, true
		}
	}
	return took, false
}

// The bounds are the ones in the comment of addressLimits: each of m addresses is new once, and then one
// of m that share a limit.
func TestNoNumberOfAddressesKeepsAClientFromItsReview(t *testing.T) {
	const m = attackers
	now := time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)
	limits := newAddressLimits()
	took, reviewed := attack(limits, now, "192.0.2.1:1")
	require.True(t, reviewed)
	require.LessOrEqual(t, took, (m-150)*time.Second/30+2*time.Second, "after a restart, when all addresses are new")
	now = now.Add(took)

	took, reviewed = attack(limits, now, "192.0.2.2:1")
	require.True(t, reviewed)
	require.LessOrEqual(t, took, 2*time.Second, "a new address later")
	now = now.Add(took)

	limits.note("192.0.2.2:1", false, now)
	took, reviewed = attack(limits, now, "192.0.2.2:1")
	require.True(t, reviewed)
	require.LessOrEqual(t, took, 2*m*time.Second/20, "an address whose token has expired")
	now = now.Add(took)

	limits.note("192.0.2.2:1", true, now)
	for range 10 {
		took, reviewed = attack(limits, now, "192.0.2.2:1")
		require.True(t, reviewed)
		require.LessOrEqual(t, took, 2*time.Second, "the same with its new token is trusted again")
		now = now.Add(took + time.Second)
	}
}

// New addresses with invalid tokens come all the time, 30 a second.
func TestNewSuspectsTakeNothingFromThoseThatWait(t *testing.T) {
	now := time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)
	limits := newAddressLimits()
	const client = "192.0.2.1:1"
	require.True(t, limits.allow(client, now))
	limits.note(client, false, now)
	for second := range 600 {
		for i := range 100 {
			attacker := fmt.Sprintf("10.%d.%d.%d:1", second/256, second%256, i)
			for range 3 {
				if limits.allow(attacker, now) {
					limits.note(attacker, false, now)
				}
			}
		}
		if second >= 60 && limits.allow(client, now) {
			require.Less(t, second, 120)
			return
		}
		now = now.Add(time.Second)
	}
	t.Fatal("the client got no review in ten minutes")
}

func TestAnIPv6NetworkIsOneAddress(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1:80":               "192.0.2.1",
		"[::ffff:192.0.2.1]:80":      "::ffff:192.0.2.1",
		"[2001:db8:1:2:3:4:5:6]:80":  "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::1]:443": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:80":          "fe80::/64",
		"@":                          "@",
	} {
		require.Equal(t, want, addressOf(address))
	}
}

func TestRememberedAddressesAreBounded(t *testing.T) {
	limits, now := newAddressLimits(), time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)
	for i := range 2000 {
		limits.allow(fmt.Sprintf("10.0.%d.%d:1", i/256, i%256), now)
	}
	require.Equal(t, 150, limits.addresses.Len(), "an address whose token was not reviewed takes no place")
}
