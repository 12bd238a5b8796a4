package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReportSaysWhatEachCostCameTo(t *testing.T) {
	fromEtcd, nothing := lists()[0], lists()[4]
	results := []result{
		{size: sizes()[0], list: fromEtcd, cost: "count", killed: true, perList: 10, rate: 3, peak: 701 << 20, small: time.Second},
		{size: sizes()[0], list: nothing, cost: "count", perList: 10, rate: 3, peak: 250 << 20, small: time.Second},
		{size: sizes()[2], list: nothing, cost: "size", perList: 10, rate: 900, peak: 90 << 20, small: 1234 * time.Microsecond},
		{size: sizes()[2], list: nothing, cost: "learned", perList: 1.1, rate: 1000, peak: 90 << 20, small: time.Millisecond},
	}
	_, table, found := strings.Cut(report(settings{limit: 700 << 20}, results), "\n\n|")
	require.True(t, found)
	assert.Equal(t, ` objects | list | list cost | seats | used | lists/s | peak memory | p99 of small requests | |
|---|---|---|---:|---:|---:|---:|---:|---|
| 1 KB | all, etcd | count | 10.0 | 1000 % | 3.0 | 701 MiB | 1s | **out of memory** |
| 1 KB | none of them, cache | count | 10.0 | 10 % | 3.0 | 250 MiB | 1s | **more than half unused** |
| 1 MB | none of them, cache | size | 10.0 | 10 % | 900.0 | 90 MiB | 1.2ms | **more than half unused** |
| 1 MB | none of them, cache | learned | 1.1 | 91 % | 1000.0 | 90 MiB | 1ms | ok |

The largest peak of the five lists, beside the smallest:

| objects | count | size | learned |
|---|---:|---:|---:|
| 1 KB | > 2.8 | not measured | not measured |
| 100 KB | not measured | not measured | not measured |
| 1 MB | not measured | 1.0 | 1.0 |
`, table)
}

func TestPathsAreOfTheKindOfList(t *testing.T) {
	var paths []string
	for _, l := range lists() {
		paths = append(paths, l.path(7))
	}
	assert.Equal(t, []string{
		collection + "?resourceVersionMatch=Exact&resourceVersion=7",
		collection + "?resourceVersionMatch=Exact&resourceVersion=7&labelSelector=chosen%3Dnever",
		collection + "?resourceVersion=0",
		collection + "?resourceVersion=0&pretty=true",
		collection + "?resourceVersion=0&labelSelector=chosen%3Dnever",
	}, paths)
}
