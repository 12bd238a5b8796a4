package findings

import "strings"

// addresses are the addresses that clients send from. Kubelets tell the nodes' addresses.
type addresses struct {
	// nodes has the node at an address; "" if several nodes send from there, through a
	// proxy.
	nodes   map[string]string
	clients map[[2]string]map[string]bool
}

// maxAddresses is the number of addresses of a client that are kept.
const maxAddresses = 1 << 13

func newAddresses() addresses {
	return addresses{nodes: map[string]string{}, clients: map[[2]string]map[string]bool{}}
}

func (a *addresses) add(user, program, address string) {
	if address == "" {
		return
	}
	if node, isNode := strings.CutPrefix(user, "system:node:"); isNode {
		if known, exists := a.nodes[address]; exists && known != node {
			node = ""
		}
		a.nodes[address] = node
		return
	}
	key := [2]string{user, program}
	if a.clients[key] == nil {
		a.clients[key] = map[string]bool{}
	}
	if len(a.clients[key]) < maxAddresses {
		a.clients[key][address] = true
	}
}

// nodesOf returns the number of nodes whose addresses a client sends from, and the number of all
// nodes with an address of their own. A client that also sends from other addresses, more than from
// nodes, does not run on nodes alone.
func (a *addresses) nodesOf(user, program string) (on, all int) {
	for _, node := range a.nodes {
		if node != "" {
			all++
		}
	}
	others := 0
	for address := range a.clients[[2]string{user, program}] {
		if a.nodes[address] != "" {
			on++
		} else {
			others++
		}
	}
	if others > on {
		return 0, all
	}
	return on, all
}
