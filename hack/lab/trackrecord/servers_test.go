//go:build !long

package trackrecord

import "testing"

// onServers starts no server in the short lane.
func onServers(*testing.T, Case) []Outcome { return nil }
