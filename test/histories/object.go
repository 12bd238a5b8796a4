package histories

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// ObjectOf converts an object of either resource in either version to the model. The
// content is the same in both versions: their JSON differs only for zero shares,
// which these objects must not have.
func ObjectOf(object runtime.Object) (Object, error) {
	access, err := meta.Accessor(object)
	if err != nil {
		return Object{}, fmt.Errorf("a %T is no object: %w", object, err)
	}
	version, err := strconv.ParseInt(access.GetResourceVersion(), 10, 64)
	if err != nil {
		return Object{}, fmt.Errorf("the resourceVersion of %s: %w", access.GetName(), err)
	}
	content, err := content(object)
	if err != nil {
		return Object{}, fmt.Errorf("the content of %s: %w", access.GetName(), err)
	}
	return Object{Name: access.GetName(), Version: version, Content: content}, nil
}

// content returns a digest of the object as v1, without its resourceVersion.
func content(object runtime.Object) (string, error) {
	var same runtime.Object
	switch object.(type) {
	case *flowcontrolv1.FlowSchema, *flowcontrolv1beta3.FlowSchema:
		same = &flowcontrolv1.FlowSchema{}
	case *flowcontrolv1.PriorityLevelConfiguration, *flowcontrolv1beta3.PriorityLevelConfiguration:
		same = &flowcontrolv1.PriorityLevelConfiguration{}
	default:
		return "", fmt.Errorf("a %T is of neither resource", object)
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(raw, same); err != nil {
		return "", err
	}
	same.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	same.(metav1.Object).SetResourceVersion("")
	if raw, err = json.Marshal(same); err != nil {
		return "", err
	}
	digest := sha256.Sum256(raw)
	return hex.EncodeToString(digest[:]), nil
}

// EventOf converts a watch event to the model.
func EventOf(event watch.Event) (Event, error) {
	if event.Type != watch.Bookmark {
		object, err := ObjectOf(event.Object)
		return Event{Type: event.Type, Version: object.Version, Object: object}, err
	}
	access, err := meta.Accessor(event.Object)
	if err != nil {
		return Event{}, fmt.Errorf("a bookmark of a %T: %w", event.Object, err)
	}
	version, err := strconv.ParseInt(access.GetResourceVersion(), 10, 64)
	if err != nil {
		return Event{}, fmt.Errorf("the resourceVersion of a bookmark: %w", err)
	}
	return Event{Type: event.Type, Version: version}, nil
}

// ListOf converts a list of either resource to the model.
func ListOf(list runtime.Object) (version int64, objects []Object, err error) {
	access, err := meta.ListAccessor(list)
	if err != nil {
		return 0, nil, fmt.Errorf("a %T is no list: %w", list, err)
	}
	if version, err = strconv.ParseInt(access.GetResourceVersion(), 10, 64); err != nil {
		return 0, nil, fmt.Errorf("the resourceVersion of a list: %w", err)
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		object, err := ObjectOf(item)
		objects = append(objects, object)
		return err
	})
	return version, objects, err
}
