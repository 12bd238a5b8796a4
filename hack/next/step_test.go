package main

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
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
