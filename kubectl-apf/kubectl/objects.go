package kubectl

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// The names of what a list returns: of two objects, which requests have as Listed, and of
// their namespace.
const (
	Listed          = "NAME"
	listedToo       = Listed + "-2"
	ListedNamespace = "NAMESPACE"
)

// uid is the UID of all objects, so that each may own each.
const uid = "00000000-0000-0000-0000-000000000000"

// resourceVersion is the resource version of all objects and lists.
const resourceVersion = "1"

// object is an object as JSON.
type object = map[string]any

// target is what a request is for.
type target struct {
	info       apirequest.RequestInfo
	kind       string
	namespaced bool
	// command is the command that asks, such as "kubectl get".
	command string
	// pending reports whether the object has not reached what is waited for, condition
	// what it has reached.
	pending   bool
	condition condition
}

func (t target) version() string {
	return schema.GroupVersion{Group: t.info.APIGroup, Version: t.info.APIVersion}.String()
}

// path identifies an object.
func (t target) path() string {
	return path.Join(t.info.APIGroup, t.info.Resource, t.info.Namespace, t.info.Name)
}

// object returns an object that commands can work with: it selects, has and runs what they
// look for.
func (t target) object() object {
	annotations := object{"apf": beforeEdit}
	if strings.HasSuffix(t.command, "-last-applied") {
		annotations[lastApplied] = t.applied()
	}
	meta := object{
		"name": t.info.Name, "uid": uid, "resourceVersion": resourceVersion, "generation": 1,
		"creationTimestamp": "2020-01-01T00:00:00Z", "labels": object{"app": t.info.Name}, "annotations": annotations,
	}
	if t.info.Namespace != "" {
		meta["namespace"] = t.info.Namespace
	}
	switch t.kind {
	case "Pod", "ReplicaSet", "ControllerRevision":
		// Only a pod with a controller is evicted, and a revision belongs to its workload.
		meta["ownerReferences"] = []object{{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": Listed, "uid": uid, "controller": true}}
	}
	return object{"apiVersion": t.version(), "kind": t.kind, "metadata": meta, "spec": t.spec(), "status": t.status()}
}

// lastApplied is the annotation with what kubectl apply applied last.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// applied returns what was applied.
func (t target) applied() string {
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"annotations":{"apf":%q}}}`, t.version(), t.kind, t.info.Name, beforeEdit)
}

func (t target) spec() object {
	selected := object{"app": t.info.Name}
	pod := object{"nodeName": "node", "securityContext": object{}, "containers": []object{{"name": "main", "image": "image"}}}
	template := object{"metadata": object{"labels": selected}, "spec": pod}
	switch t.kind {
	case "Pod":
		return pod
	case "Deployment", "ReplicaSet", "Job":
		return object{"replicas": 1, "selector": object{"matchLabels": selected}, "template": template}
	case "StatefulSet", "DaemonSet":
		return object{"replicas": 1, "selector": object{"matchLabels": selected}, "template": template, "updateStrategy": object{"type": "RollingUpdate"}}
	case "ReplicationController":
		return object{"replicas": 1, "selector": selected, "template": template}
	case "CronJob":
		return object{"schedule": "@daily", "jobTemplate": object{"spec": object{"template": template}}}
	case "Service":
		return object{"selector": selected, "clusterIP": "10.0.0.1", "ports": []object{{"name": "http", "port": 80, "targetPort": 80}}}
	default:
		return object{}
	}
}

func (t target) status() object {
	conditions := []object{{"type": "Ready", "status": "True"}}
	if t.condition.name != "" {
		conditions = append(conditions, object{"type": t.condition.name, "status": t.condition.value})
	}
	status := object{
		"phase": "Running", "observedGeneration": 1, "conditions": conditions,
		"replicas": 1, "readyReplicas": 1, "updatedReplicas": 1, "availableReplicas": 1,
		"desiredNumberScheduled": 1, "updatedNumberScheduled": 1, "numberAvailable": 1,
		"containerStatuses": []object{{"name": "main", "ready": true, "state": object{"running": object{}}}},
	}
	if t.pending {
		status["observedGeneration"] = 0
		delete(status, "conditions")
	}
	return status
}

// revision returns the fields of a revision of a workload; none for another object.
func (t target) revision(number int) object {
	switch t.kind {
	case "ReplicaSet":
		return object{"metadata": object{"annotations": object{"deployment.kubernetes.io/revision": strconv.Itoa(number)}}}
	case "ControllerRevision":
		return object{"revision": number}
	default:
		return nil
	}
}

// nameOf returns the name of a created object.
func nameOf(o object) string {
	meta, _ := o["metadata"].(object)
	if name, _ := meta["name"].(string); name != "" {
		return name
	}
	prefix, _ := meta["generateName"].(string)
	return prefix + Listed
}

// written returns an object as the server stores it: with a status, and running.
func (t target) written(o object) object {
	o = merged(o, object{"metadata": t.object()["metadata"], "status": t.status()})
	spec, _ := o["spec"].(object)
	return merged(o, object{"status": object{
		"containerStatuses":          running(spec["containers"]),
		"ephemeralContainerStatuses": running(spec["ephemeralContainers"]),
		"token":                      "token", // of a TokenRequest
	}})
}

// running returns the statuses of running containers.
func running(containers any) []object {
	statuses := []object{}
	list, _ := containers.([]any)
	for _, container := range list {
		if fields, ok := container.(object); ok {
			statuses = append(statuses, object{"name": fields["name"], "ready": true, "state": object{"running": object{}}})
		}
	}
	return statuses
}

// merged returns an object with the fields of another laid over its own.
func merged(o, over object) object {
	out := maps.Clone(o)
	for key, value := range over {
		below, isObject := out[key].(object)
		if fields, ok := value.(object); ok && isObject {
			value = merged(below, fields)
		}
		out[key] = value
	}
	return out
}

// scale returns the scale of an object.
func scale(t target) object {
	o := t.object()
	o["apiVersion"], o["kind"], o["spec"], o["status"] = "autoscaling/v1", "Scale", object{"replicas": 1}, object{"replicas": 1}
	return o
}

// success is the response to a deletion.
func success(t target) object {
	return object{"apiVersion": "v1", "kind": "Status", "metadata": object{}, "status": metav1.StatusSuccess, "details": object{
		"name": t.info.Name, "group": t.info.APIGroup, "kind": t.info.Resource, "uid": uid,
	}}
}

// notFound is the response to a request for an object that does not exist.
func notFound(t target) object {
	return object{"apiVersion": "v1", "kind": "Status", "metadata": object{}, "status": metav1.StatusFailure,
		"message": t.info.Resource + " \"" + t.info.Name + "\" not found", "reason": metav1.StatusReasonNotFound, "code": http.StatusNotFound,
		"details": object{"name": t.info.Name, "group": t.info.APIGroup, "kind": t.info.Resource},
	}
}
