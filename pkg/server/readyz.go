package server

import (
	"errors"
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/kubeapiserver"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/servingca"
)

// etcdCheck is the name of the library's check that a read of etcd with a quorum succeeds.
const etcdCheck = "etcd"

// addReadyzChecks adds the checks of /readyz, and returns what they say to everyone.
func addReadyzChecks(c CompletedConfig, generic *genericapiserver.Config, stored *stored, flowControl *flowControl, monitor *kubeapiserver.Monitor, certificate *servingca.Controller, keeper *bootstrap.Keeper) []filters.CheckMessage {
	var messages []filters.CheckMessage
	add := func(check healthz.HealthChecker, message string) {
		generic.AddReadyzChecks(check)
		messages = append(messages, filters.FailureMessage(check.Name(), message))
	}
	const etcd = "etcd does not respond as it should: check that it runs and has a quorum of its members"
	add(stored.available, etcd)
	add(stored.ready, etcd)
	const objects = "stored-objects"
	add(healthz.NamedCheck(objects, func(r *http.Request) error { return checkStoredObjects(r, stored, flowControl) }),
		"an object in etcd under this server's prefix cannot be read: the log and /readyz/"+objects+" name its key and say what to do")
	if stored.revisions != nil {
		add(healthz.NamedCheck("etcd-revisions", stored.revisions.Check),
			"etcd is at a lower revision than before: it lost data or was restored from a snapshot; this server restarts to read it again")
	}
	if flowControl != nil {
		lag := &configurationLag{status: flowControl.ConfigurationStatus, clock: c.Clock}
		add(healthz.NamedCheck("flowcontrol-configured", flowControl.check),
			"the stored FlowSchemas and PriorityLevelConfigurations are not enforced yet; if this lasts, the log says why")
		add(healthz.NamedCheck("flowcontrol-in-force", lag.check),
			"changes of FlowSchemas and PriorityLevelConfigurations have not been enforced for a minute: restart this server")
	}
	if monitor != nil {
		for _, check := range monitor.Checks() {
			generic.AddReadyzChecks(check)
			messages = append(messages, filters.CheckMessage{Check: check.Name(), Message: check.Message, WhilePassing: true})
		}
		messages = append(messages, filters.FailureMessage("informer-sync", "the cluster's admission webhooks and policies have not been read: the check delegated-admission says why"))
	}
	if certificate != nil {
		generic.AddReadyzChecks(certificate)
		messages = append(messages, filters.CheckMessage{Check: certificate.Name(), Message: certificate.Message, WhilePassing: true})
	}
	generic.AddReadyzChecks(keeper)
	return append(messages, filters.CheckMessage{Check: keeper.Name(), Message: keeper.Message, WhilePassing: true})
}

// checkStoredObjects fails with the last error about an unreadable object until the stored
// configuration is enforced.
func checkStoredObjects(r *http.Request, stored *stored, flowControl *flowControl) error {
	err := stored.Unreadable()
	if err == nil || flowControl == nil || flowControl.check(r) == nil {
		return nil
	}
	return err
}

// check fails until the stored configuration is enforced.
func (f *flowControl) check(*http.Request) error {
	select {
	case <-f.Applied():
		return nil
	default:
		return errors.New("the stored FlowSchemas and PriorityLevelConfigurations are not enforced yet")
	}
}
