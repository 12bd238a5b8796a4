package server

import (
	"fmt"
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/store"
)

// etcdCheck is the name of the library's check that a read of etcd with a quorum succeeds.
const etcdCheck = "etcd"

// checkStore adds what readiness and metrics say about the store.
func (s *Server) checkStore(config storagebackend.Config) error {
	if err := s.checkEtcd(config); err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	if err := s.metrics.Register(store.Availability(s.etcdCheck)); err != nil {
		return err
	}
	s.generic.AddReadyzChecks(healthz.NamedCheck(storedObjectsCheck, s.checkStoredObjects))
	return s.monitorRevisions()
}

// checkEtcd adds the library's checks of etcd, which end with Close. Without etcd the server is not
// ready, but live: a restart would not help.
func (s *Server) checkEtcd(config storagebackend.Config) error {
	healthy, err := factory.CreateHealthCheck(config, s.closed)
	if err != nil {
		return err
	}
	ready, err := factory.CreateReadyCheck(config, s.closed)
	if err != nil {
		return err
	}
	s.etcdCheck = healthz.NamedCheck(etcdCheck, func(*http.Request) error { return healthy() })
	s.generic.HealthzChecks = append(s.generic.HealthzChecks, s.etcdCheck)
	s.generic.AddReadyzChecks(s.etcdCheck, healthz.NamedCheck("etcd-readiness", func(*http.Request) error { return ready() }))
	return nil
}

// checkStoredObjects fails with the last error about an unreadable object until the stored
// configuration is enforced.
func (s *Server) checkStoredObjects(r *http.Request) error {
	err := s.store.Unreadable()
	if err == nil || s.flowControl == nil || s.flowControl.check(r) == nil {
		return nil
	}
	return err
}

// monitorRevisions makes the server not ready, and end, if etcd loses data. The embedded
// etcd is part of the process, and restored only while it does not run.
func (s *Server) monitorRevisions() error {
	if s.config.EmbeddedEtcd {
		return nil
	}
	s.revisions = store.NewRevisions(s.store)
	s.generic.AddReadyzChecks(healthz.NamedCheck(revisionsCheck, s.revisions.Check))
	s.chain.checkMessages = append(s.chain.checkMessages, filters.FailureMessage(revisionsCheck,
		"etcd is at a lower revision than before: it lost data or was restored from a snapshot; this server restarts to read it again"))
	return s.generic.AddPostStartHook("etcd-revisions", func(hook genericapiserver.PostStartHookContext) error {
		v1 := s.informers.Flowcontrol().V1()
		go s.revisions.Run(hook, v1.FlowSchemas().Informer().LastSyncResourceVersion, v1.PriorityLevelConfigurations().Informer().LastSyncResourceVersion)
		return nil
	})
}
