package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStepsThatDoNotNeedAFailedOneRun(t *testing.T) {
	var out bytes.Buffer
	var ran []string
	named := func(name, needs string, err error) step {
		return step{name, needs, "Advice for " + name + ".", func(context.Context) error {
			ran = append(ran, name)
			return err
		}}
	}
	failed := perform(t.Context(), &out, []step{
		named("sources", "", nil), named("base", "sources", errors.New("no generators")), named("filters", "sources", nil),
		named("vet", "base", nil), named("tests", "vet", nil), named("places", "", nil),
	})
	assert.Equal(t, []string{"base", "vet", "tests"}, failed)
	assert.Equal(t, []string{"sources", "base", "filters", "places"}, ran)
	assert.Contains(t, out.String(), "== base\nAdvice for base.\nFAILED: no generators\n")
	assert.Contains(t, out.String(), "== vet\nAdvice for vet.\nFAILED: step \"base\" is needed first\n")
}

func TestStepsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	failed := perform(ctx, &bytes.Buffer{}, []step{
		{"first", "", "", func(context.Context) error { cancel(); return nil }},
		{"second", "", "", func(context.Context) error { return errors.New("ran") }},
	})
	assert.Empty(t, failed)
}

func TestTargetsOfTheMakefileRunOnTheReleaseWithItsGo(t *testing.T) {
	var out bytes.Buffer
	n := next{
		out: &out, named: "0.38.0-alpha.2", environment: []string{"GOTOOLCHAIN=go1.27.0"},
		root: tree(t, map[string]string{"Makefile": "good bad:\n\t@echo $@ $(K8S) $$GOTOOLCHAIN\n\t@[ $@ = good ]\n"}),
	}
	require.NoError(t, n.target("good", "Advice.").run(t.Context()))
	require.EqualError(t, n.target("bad", "change it").run(t.Context()), "exit status 2 of GOTOOLCHAIN=go1.27.0 make bad K8S=0.38.0-alpha.2: change it")
	assert.Contains(t, out.String(), "good 0.38.0-alpha.2 go1.27.0\n")
	assert.Contains(t, out.String(), "bad 0.38.0-alpha.2 go1.27.0\n")
}

func TestOnlyPrintingNeitherCompilesNorTests(t *testing.T) {
	names := func(n next) (names []string) {
		for _, s := range n.steps() {
			names = append(names, s.name)
		}
		return names
	}
	printed := names(next{printOnly: true})
	assert.NotContains(t, strings.Join(printed, " "), "make")
	assert.Equal(t, append(printed, "make verify-base", "make test-unit", "make conformance"), names(next{}))
}
