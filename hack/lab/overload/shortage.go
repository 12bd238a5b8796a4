package main

import (
	"fmt"
	"time"
)

// shortage is what a server has too little of.
type shortage struct {
	key, title, about string
	// objects is the number of objects stored before the server is measured, bytes the size of each.
	objects, bytes int
	path           string // of the elephant's requests
	env, args      []string
	memory         float64       // limit, in bytes; 0: none
	delay          time.Duration // of what etcd answers
	static         int           // the initial total of an adaptive one
	// busy is the number of connections that show what the server can do.
	busy int
}

const (
	collection = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
	mebibyte   = 1 << 20
)

func shortages() []shortage {
	const limit = 400 * mebibyte
	return []shortage{
		{
			key: "processors", title: "Processors are short",
			about:   "The server has one processor (GOMAXPROCS=1). The elephant lists 1,000 FlowSchemas of 1 KB from the watch cache.",
			objects: 1000, bytes: 1000, path: collection + "?resourceVersion=0", env: []string{"GOMAXPROCS=1"}, static: 128, busy: 8,
		},
		{
			key: "memory", title: "Memory is short",
			about: fmt.Sprintf("The server has GOMEMLIMIT=%d MiB. The elephant lists 100 FlowSchemas of 100 KB from etcd. `--list-cost=count`: with `learned` the "+
				"seats of a list follow its memory, whatever the total is.", limit/mebibyte),
			objects: 100, bytes: 100_000, path: collection, env: []string{fmt.Sprintf("GOMEMLIMIT=%d", limit)}, args: []string{"--list-cost=count"},
			memory: limit, static: 64, busy: 4,
		},
		{
			key: "etcd", title: "etcd is slow",
			about:   "etcd answers 200 ms late. The elephant gets one FlowSchema from etcd.",
			objects: 1, bytes: 1000, path: collection + "/stored-0", delay: 200 * time.Millisecond, static: 32, busy: 32,
		},
	}
}

// totals are the static totals that are compared, and the bounds of one that moves.
func (s shortage) totals() []int { return []int{s.static / 4, s.static / 2, s.static, 2 * s.static} }
