package main

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/scenario"
)

// total is the number of seats of each server. It is small, so that flow control decides
// on what two processors serve with ease.
const total = 60

// prefix begins the names of the priority levels of a case.
const prefix = "fidelity"

//go:embed cases
var files embed.FS

// testCase is clients and a configuration.
type testCase struct {
	name string
	// held reports whether the case was held back while the simulator was fitted.
	held bool
	// what says what the clients do.
	what string
	// warmUp is how much of the beginning is not counted, because what the server did
	// before decides about it.
	warmUp time.Duration
	// scenario and configuration are YAML files; change, unless empty, is what is applied
	// half way.
	scenario, configuration, change string
}

// catalog lists the cases. Half of them are held back. Those with lists come last: a server
// counts its objects only once a minute.
func catalog() []testCase {
	return []testCase{
		{name: "elephant", what: "a client with 120 workers beside 5 clients of 4 requests a second"},
		{name: "burst", held: true, what: "200 requests within 100 ms, every 5 s, beside steady clients"},
		{name: "tenants", held: true, what: "60 users with 2 workers each"},
		{name: "borrowing", warmUp: 12 * time.Second, what: "a level of 10 seats that is starved, beside one that lends, and takes back after 25 s; without the first 12 s"},
		{name: "changed", held: true, what: "a third of the seats is taken from a level half way; the second half is predicted from the trace of the first one, in a closed loop"},
		{name: "rejections", what: "short queues, and clients that retry after `Retry-After`"},
		{name: "wide", what: "lists of 5 seats beside requests of one seat"},
		{name: "watch-lists", held: true, what: "40 informers that list and watch again and again"},
	}
}

// readCases returns the cases with their files; all if the name is empty.
func readCases(name string) ([]testCase, error) {
	var chosen []testCase
	for _, c := range catalog() {
		if name != "" && c.name != name {
			continue
		}
		for file, text := range map[string]*string{"scenario.yaml": &c.scenario, "configuration.yaml": &c.configuration, "change.yaml": &c.change} {
			content, err := files.ReadFile(path.Join("cases", c.name, file))
			if err != nil && (file != "change.yaml" || c.name == "changed") {
				return nil, err
			}
			*text = string(content)
		}
		chosen = append(chosen, c)
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-case is %q: must be one of %s", name, strings.Join(caseNames(), ", "))
	}
	return chosen, nil
}

func caseNames() []string {
	var names []string
	for _, c := range catalog() {
		names = append(names, c.name)
	}
	return names
}

// clients returns the scenario with a seed.
func (c *testCase) clients(seed uint64) (*scenario.Scenario, error) {
	s, err := scenario.Parse([]byte(c.scenario))
	if err != nil {
		return nil, fmt.Errorf("cases/%s/scenario.yaml: %w", c.name, err)
	}
	s.Seed = seed
	return s, nil
}
