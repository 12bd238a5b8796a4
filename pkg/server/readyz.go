package server

import (
	"context"
	"fmt"
	"net/http"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

// Names of the checks on /readyz that this package adds.
const (
	// storedObjectsCheck names an object in etcd that cannot be read.
	storedObjectsCheck = "stored-objects"
	// revisionsCheck fails once etcd is at a lower revision than before.
	revisionsCheck = "etcd-revisions"
	// configuredCheck waits for the stored configuration to be enforced.
	configuredCheck = "flowcontrol-configured"
	// lagCheck fails if the engine applies changes no more.
	lagCheck = "flowcontrol-in-force"
)

// serveEtcdLiveness serves /livez/etcd, as kube-apiserver does. /livez leaves the check out,
// since without etcd a restart would not help.
func (s *Server) serveEtcdLiveness(context.Context) error {
	s.apiserver.Handler.NonGoRestfulMux.HandleFunc("/livez/"+etcdCheck, func(w http.ResponseWriter, r *http.Request) {
		if err := s.etcdCheck.Check(r); err != nil {
			http.Error(w, fmt.Sprintf("internal server error: %v", err), http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprint(w, "ok")
	})
	return nil
}

// checkMessages are the messages of the checks that need no kube-apiserver.
func (s *Server) checkMessages() []filters.CheckMessage {
	const etcd = "etcd does not respond as it should: check that it runs and has a quorum of its members"
	return []filters.CheckMessage{
		filters.FailureMessage("etcd", etcd),
		filters.FailureMessage("etcd-readiness", etcd),
		filters.FailureMessage(storedObjectsCheck, "an object in etcd under this server's prefix cannot be read: "+
			"the log and /readyz/"+storedObjectsCheck+" name its key and say what to do"),
		filters.FailureMessage(configuredCheck, "the stored FlowSchemas and PriorityLevelConfigurations are not enforced yet; if this lasts, the log says why"),
		filters.FailureMessage(lagCheck, "changes of FlowSchemas and PriorityLevelConfigurations have not been enforced for a minute: restart this server"),
		{Check: bootstrap.CheckName, Message: func() string { return s.keeper.Message() }, WhilePassing: true},
	}
}
