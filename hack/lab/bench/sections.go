package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// section is a section of docs/evidence/benchmarks.md. It is written as a whole.
type section struct {
	name    string // in the markers
	heading string
	setting string // the setup, and how to read the figures
	parts   []part
	partial bool // some parts are left out
	// benchmarks and report, unless nil, take the place of parts: benchmarks of Go, and the text of the section.
	benchmarks func(ctx context.Context, log *measurement.Log, rounds int) error
	report     func(measured measurement.Rounds, rounds int) (string, error)
}

// part is a part of a section that can be measured alone.
type part struct {
	name    string
	measure func(*harness.Owner, settings) []table
}

func sections() []section {
	kubernetes := "kube-apiserver " + strings.TrimPrefix(binaries.KubernetesVersion, "v")
	const sideBySide = "both servers in turns in one run, each on an etcd of its own of the same version, client and servers on the same machine. " +
		"Each is compiled as it is released: kube-apiserver without a profile, this server by one of the requests of these benchmarks (`make profile`)."
	return []section{
		{name: "engine", benchmarks: measureEngine, report: engineReport},
		{
			name: "server", heading: "The server, beside " + kubernetes, setting: sideBySide,
			parts: []part{
				{"start", measureStarts},
				{"memory", measureMemory},
				{"load", measureLoad},
				{"certificates", measureCertificates},
			},
		},
		{
			name: "large", heading: "Many FlowSchemas, beside " + kubernetes,
			setting: sideBySide + " The same FlowSchemas are in both etcds, byte for byte. One client sends requests, without compression. For each kind of " +
				"request both servers are restarted; peak memory is the most that a process held during a round (VmHWM).",
			parts: []part{{"large", measureLarge}},
		},
		{
			name: "inside", heading: "The engine inside " + kubernetes,
			setting: "two kube-apiservers of one binary, in turns, each on an etcd of its own. In one, pkg/apf takes the place of the library's engine " +
				"(`test/replacement`); its handler chain is the library's.",
			parts: []part{{"inside", measureInside}},
		},
		{name: "limiter", benchmarks: measureLimiter, report: limiterReport},
	}
}

// names returns the names of the sections and of their parts.
func names() (names []string) {
	for _, section := range sections() {
		names = append(names, section.name)
		for _, part := range section.parts {
			names = append(names, part.name)
		}
	}
	return slices.Compact(names)
}

// choose returns the named section or part, or all sections if the name is
// empty.
func choose(only string) (chosen []section, err error) {
	for _, s := range sections() {
		all := len(s.parts)
		s.parts = slices.DeleteFunc(s.parts, func(p part) bool { return only != "" && only != s.name && only != p.name })
		s.partial = len(s.parts) < all
		if len(s.parts) > 0 || s.benchmarks != nil && (only == "" || only == s.name) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("--only is %q; it must be one of %s", only, strings.Join(names(), ", "))
	}
	return chosen, nil
}
