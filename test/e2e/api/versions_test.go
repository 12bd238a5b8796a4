package api

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestBothVersionsAndStoresSayTheSame runs the cases on two processes of this
// server, one in v1 on an etcd process, the other in v1beta3 on its embedded etcd.
// It replaces v1beta3 by v1 and removes the deprecation warning of each answer.
// Then the answers and the stored objects must be equal to the byte.
func TestBothVersionsAndStoresSayTheSame(t *testing.T) {
	t.Parallel()
	startVersions(t).leadAll(t, oneVersionOnly())
}

// leadAll runs all cases on both servers, apart from those in but, which maps
// names to reasons.
func (p *pair) leadAll(t *testing.T, but map[string]string) (results []result) {
	t.Helper()
	unmet := maps.Clone(but)
	for _, theme := range themes() {
		for _, c := range theme.cases {
			delete(unmet, theme.name+": "+c.name)
		}
		if !slices.ContainsFunc(theme.cases, p.leads) {
			continue
		}
		t.Run(theme.name, func(t *testing.T) {
			for _, c := range theme.cases {
				if _, left := but[theme.name+": "+c.name]; left || !p.leads(c) {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					results = append(results, result{theme.name, c, p.lead(t, c)})
				})
			}
		})
	}
	require.Empty(t, unmet, "there are no such cases")
	return results
}

// leads reports whether the case runs on this pair.
func (p *pair) leads(c testCase) bool {
	switch {
	case p.ours.inBeta:
		return !c.beta
	case p.same:
		return c.alone == "" && !c.beta || !p.peer.inBeta
	case p.emulated:
		return c.beta
	}
	return !c.beta
}

// oneVersionOnly returns the cases that concern only one version, or that wait for
// long and concern neither. Each has its reason.
func oneVersionOnly() map[string]string {
	const zero, discovery, waits = "zero shares are the default in v1beta3", "it tells of all versions", "it waits for seconds"
	return map[string]string{
		"tables: flow schemas": zero, "tables: priority levels": zero, "body details: numbers in json": zero, "body details: numbers in yaml": zero,
		"discovery: unaggregated": discovery, "discovery: aggregated": discovery, "discovery: OpenAPI v2": discovery, "discovery: OpenAPI v3": discovery,
		"discovery: health":                                       "it tells of the embedded etcd",
		"watches: initial events, closed by a bookmark":           "the bookmark has an encoded list of the version",
		"write details: metadata that is not valid":               "labels are looked at in any order",
		"body details: protobuf that is something else":           "the answer shows the bytes of the body",
		"field validation details: very many unknown fields":      "the deprecation takes room from their warnings",
		"lists: a version from the future is waited for, in vain": waits, "lists: so is one that must not be older": waits, "lists: an exact version from the future": waits,
		"gets: a version from the future": waits, "watches: from the future": waits, "watches: initial events to a client that takes gzip": waits, "watches: a watch ends in time, after a bookmark": waits,
		"watches: a watch that asks for no bookmarks gets none": waits, "deletion details: a collection of some version": waits,
	}
}

// startVersions starts two processes of this server on stores with the same
// content. The second gets requests in v1beta3.
func startVersions(t *testing.T) *pair {
	t.Helper()
	owner := &quiet{T: t}
	p := &pair{ours: &side{name: "v1"}, peer: &side{name: "v1beta3", inBeta: true}, same: true}
	var servers []*harness.Server
	for s, etcd := range map[*side]*harness.Etcd{p.ours: harness.StartEtcd(owner, harness.EtcdOptions{}), p.peer: nil} {
		server := harness.StartServer(owner, harness.ServerOptions{Etcd: etcd, Args: slices.Concat(still(), []string{"--etcd-prefix=/registry"})})
		s.connect(t, server.URL, server.Config(t))
		s.etcd = server.Store(t)
		servers = append(servers, server)
	}
	p.original = p.ours.stored(t)
	p.restore(t)
	startAgain(owner, servers...)
	owner.started = true
	return p
}

// inBeta converts the step to v1beta3.
func (s step) inBeta() step {
	s.path = strings.Replace(s.path, v1Path, v1beta3Path, 1)
	const magic = "k8s\x00"
	if text, err := fromProtobuf([]byte(s.body), false); err == nil && strings.HasPrefix(s.body, magic) {
		s.body = toProtobuf(inBeta(string(text)))
	} else {
		s.body = inBeta(s.body)
	}
	return s
}

func inBeta(text string) string {
	return regexp.MustCompile(`flowcontrol\.apiserver\.k8s\.io/v1\b`).ReplaceAllString(text, flowcontrolv1beta3.SchemeGroupVersion.String())
}

// inV1 replaces v1beta3 in a text by v1: the version, and Go's types.
func inV1(text string) string {
	text = strings.ReplaceAll(text, flowcontrolv1beta3.SchemeGroupVersion.String(), "flowcontrol.apiserver.k8s.io/v1")
	text = regexp.MustCompile(`\bv1beta3\.([A-Z])`).ReplaceAllString(text, "v1.$1")
	return regexp.MustCompile(`(in version \\")v1beta3`).ReplaceAllString(text, "${1}v1")
}

// undeprecated removes the deprecation warning of v1beta3, which each answer of this
// server about a resource has once. An upgrade to WebSocket has no warnings, and events have no
// headers.
func undeprecated(t *testing.T, what string, step step, a answer, isOurs bool) answer {
	t.Helper()
	warnings, expected := a.header.Values("Warning"), 1
	if step.method == "" || a.code == http.StatusSwitchingProtocols || !regexp.MustCompile(`/v1/.*(flowschemas|prioritylevelconfigurations)`).MatchString(step.path) {
		expected = 0
	}
	others := slices.DeleteFunc(slices.Clone(warnings), func(text string) bool {
		return strings.Contains(text, "/v1beta3 ") && strings.Contains(text, " is deprecated in v1.29+")
	})
	if isOurs {
		require.Len(t, warnings, len(others)+expected, "%s: warnings that the version is deprecated", what)
	}
	a = a.clone()
	a.header.Del("Warning")
	for _, text := range others {
		a.header.Add("Warning", text)
	}
	return a
}
