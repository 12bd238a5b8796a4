//go:build long

package api

import "testing"

// TestV1beta3BesideKubeAPIServer runs the cases in v1beta3 on this server and on a
// kube-apiserver that emulates 1.31.
func TestV1beta3BesideKubeAPIServer(t *testing.T) {
	t.Parallel()
	pair := startPair(t).besideEmulated(t)
	pair.ours.inBeta, pair.peer.inBeta = true, true
	but := oneVersionOnly()
	but["watches: from a version compacted away"] = "the answer says when the server started"
	for _, name := range []string{"whether I may do something", "invalid questions"} {
		but["self-reviews: "+name] = "1.31 has no selectors in questions"
	}
	pair.leadAll(t, but)
}
