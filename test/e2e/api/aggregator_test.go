package api

import "slices"

// aggregatorDifferences returns the differences that kube-apiserver's aggregator
// causes between a request through kube-apiserver and a direct one.
func aggregatorDifferences() []difference {
	return []difference{
		{
			"cache-control", "kube-apiserver sets Cache-Control before it forwards a request, so that the header appears twice.",
			repeatedCacheControl,
		},
		{
			"vary", "kube-apiserver always requests gzip from this server, and forwards the Vary header of large responses.",
			vary,
		},
	}
}

// repeatedCacheControl removes the second Cache-Control header.
func repeatedCacheControl(_ step, ours answer, peers *answer) bool {
	const name = "Cache-Control"
	mine, theirs := ours.header.Values(name), peers.header.Values(name)
	if len(mine) != 1 || !slices.Equal(theirs, append(slices.Clone(mine), mine...)) {
		return false
	}
	peers.header.Set(name, mine[0])
	return true
}

// vary removes the Vary header, which this server sends only to kube-apiserver.
func vary(_ step, ours answer, peers *answer) bool {
	const name = "Vary"
	if ours.header.Get(name) != "" || peers.header.Get(name) != "Accept-Encoding" {
		return false
	}
	peers.header.Del(name)
	return true
}

// notPassedOn returns the cases that kube-apiserver does not forward unchanged,
// with reasons.
func notPassedOn() map[string]string {
	const itself = "kube-apiserver itself answers which groups and versions exist"
	left := map[string]string{
		"discovery: unaggregated": itself, "v1beta3: discovery tells of both versions": itself,
		"discovery: health":                         "kube-apiserver itself answers whether it is healthy",
		"write details: metadata that is not valid": "errors about labels come in the order of a map",
	}
	for _, name := range []string{
		"deletions: propagation without a garbage collector", "deletions: collections without a garbage collector",
		"deletion details: policies change while it is held, without a garbage collector",
	} {
		left[name] = "behind a kube-apiserver the garbage collector of the cluster removes its finalizers"
	}
	for _, name := range []string{
		"who I am", "whether I may do something", "invalid questions", "what I may do", "in protobuf", "nothing but create", "in discovery and OpenAPI",
	} {
		left["self-reviews: "+name] = "kube-apiserver itself answers who its clients are and what they may do"
	}
	return left
}
