package main

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// slowness is a backend that is slow while traffic is measured, and not while a server
// starts or its objects are made.
type slowness struct {
	serve func()
	on    atomic.Bool
}

func (s *slowness) wait() {
	if s.on.Load() {
		s.serve()
	}
}

// monitoring serves a monitoring system and returns its URL.
func (l *site) monitoring() string {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { l.backend.wait() }))
	l.o.Cleanup(server.Close)
	return server.URL
}

// slowEtcd serves etcd with reads and writes that wait for the backend, and returns its URL.
// Watches and leases do not wait.
func (l *site) slowEtcd() string {
	proxy := traffic.StartEtcdProxy(l.o, l.etcd.URL)
	proxy.Wait = l.backend.wait
	return proxy.URL
}
