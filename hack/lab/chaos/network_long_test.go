//go:build long

package chaos_test

import (
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/chaos/links"
)

// A fault that lasts is about one of these, or about a network.
func onServer(number int) string { return fmt.Sprintf("server %d", number) }
func onMember(number int) string { return fmt.Sprintf("etcd member %d", number) }

// cut cuts a server from etcd.
func (r *replica) cut() {
	for _, link := range r.links {
		link.Cut(links.Everyone)
	}
}

// heal ends the cut.
func (r *replica) heal() {
	for _, link := range r.links {
		link.Mend(links.Everyone)
	}
}

// cutPeers cuts two members of etcd from each other, in both directions.
func (s *site) cutPeers(one, other int) {
	s.peers[one].Cut(s.ids[other])
	s.peers[other].Cut(s.ids[one])
}

// healPeers ends all cuts between members.
func (s *site) healPeers() {
	for _, link := range s.peers {
		for _, id := range s.ids {
			link.Mend(id)
		}
	}
}

// holdCache keeps back what etcd's watches report to a server, or reports it. Reads are answered.
func (r *replica) holdCache(hold bool) {
	for _, proxy := range r.proxies {
		proxy.HoldWatches(hold)
	}
}
