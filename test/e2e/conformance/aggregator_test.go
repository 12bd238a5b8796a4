package conformance

import "slices"

// aggregatorDifferences are the answers in which this server behind kube-apiserver
// is not as this server itself: kube-apiserver's aggregator makes the difference.
func aggregatorDifferences() []difference {
	return []difference{
		{
			"cache-control", "kube-apiserver says Cache-Control before it passes a request on, so that the header stands twice.",
			repeatedCacheControl,
		},
		{
			"vary", "kube-apiserver asks this server for gzip whatever the client wants, and hands on that large answers vary with that.",
			vary,
		},
	}
}

// repeatedCacheControl takes the second one away.
func repeatedCacheControl(_ step, ours answer, peers *answer) bool {
	const name = "Cache-Control"
	mine, theirs := ours.header.Values(name), peers.header.Values(name)
	if len(mine) != 1 || !slices.Equal(theirs, append(slices.Clone(mine), mine...)) {
		return false
	}
	peers.header.Set(name, mine[0])
	return true
}

// vary takes away that the answer varies, which it does for kube-apiserver alone.
func vary(_ step, ours answer, peers *answer) bool {
	const name = "Vary"
	if ours.header.Get(name) != "" || peers.header.Get(name) != "Accept-Encoding" {
		return false
	}
	peers.header.Del(name)
	return true
}

// notPassedOn are cases that kube-apiserver does not pass on as they are.
func notPassedOn() map[string]string {
	const itself = "kube-apiserver says itself which groups and versions there are"
	return map[string]string{"discovery: unaggregated": itself, "v1beta3: discovery tells of both versions": itself}
}
