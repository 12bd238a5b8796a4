package main

import (
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

const (
	// storePrefix is the prefix of the keys of etcd.
	storePrefix = "/registry/flowcontrol.apiserver.k8s.io"
	collection  = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
	// stored is the number of bytes of all FlowSchemas of a case.
	stored = 10_000_000
	// streamed is the most that a list from the watch cache has in memory at one time.
	streamed = 1_000_000
	// bytesPerSeat is what a seat is worth.
	bytesPerSeat = 100_000
)

// size is the size of the stored objects.
type size struct {
	name  string
	bytes int
}

func sizes() []size { return []size{{"1 KB", 1_000}, {"100 KB", 100_000}, {"1 MB", 1_000_000}} }

// costs are what lists may cost.
func costs() []estimate.ListCost {
	return []estimate.ListCost{estimate.CostByCount, estimate.CostBySize, estimate.CostLearned}
}

// list is a kind of list.
type list struct {
	name      string
	fromEtcd  bool
	selective bool
	indented  bool // and so encoded as a whole
}

func lists() []list {
	return []list{
		{name: "all, etcd", fromEtcd: true},
		{name: "none of them, etcd", fromEtcd: true, selective: true},
		{name: "all, cache"},
		{name: "all, cache, indented", indented: true},
		{name: "none of them, cache", selective: true},
	}
}

// path returns the path and the query of the list, at a revision of etcd.
func (l list) path(revision int64) string {
	query := "resourceVersion=0"
	if l.fromEtcd {
		query = fmt.Sprintf("resourceVersionMatch=Exact&resourceVersion=%d", revision)
	}
	if l.selective {
		query += "&labelSelector=chosen%3Dnever"
	}
	if l.indented {
		query += "&pretty=true"
	}
	return collection + "?" + query
}

// inMemory returns the bytes that one list has in memory at one time, as seats count
// them.
func (l list) inMemory() float64 {
	switch {
	case l.fromEtcd, l.indented:
		return stored
	case l.selective:
		return 0
	default:
		return streamed
	}
}
