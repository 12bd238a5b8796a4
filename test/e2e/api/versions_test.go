package api

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
)

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
		return !c.beta && !c.v1Only && c.alone == ""
	case p.emulated:
		return c.beta
	}
	return !c.beta
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
// server about a resource has once. Events have no headers.
func undeprecated(t *testing.T, what string, step step, a answer, isOurs bool) answer {
	t.Helper()
	warnings, expected := a.header.Values("Warning"), 1
	if step.method == "" || !regexp.MustCompile(`/v1/.*(flowschemas|prioritylevelconfigurations)`).MatchString(step.path) {
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
