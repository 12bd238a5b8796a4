package parity

import (
	"encoding/json"
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/validation/field"
	theirhub "k8s.io/kubernetes/pkg/apis/flowcontrol"
	theirinstall "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	theirs "k8s.io/kubernetes/pkg/apis/flowcontrol/validation"

	ourhub "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	ourinstall "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	ours "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
)

// answer is the result of one server for one object.
type answer struct {
	// Undecodable reports that the bytes are not an object of the group.
	Undecodable bool
	// Create, Update and Status hold "type field value" of each error of that
	// operation, sorted.
	Create, Update, Status []string
	// Stored and Beta are the object in v1 and v1beta3, after defaulting, if it
	// is valid.
	Stored, Beta runtime.Object
	// Bytes are Stored in protobuf, as they go to etcd.
	Bytes []byte
}

func (a answer) accepts() bool { return !a.Undecodable && len(a.Create) == 0 }

// server decodes and validates like one of the two servers.
type server struct {
	scheme   *runtime.Scheme
	decoder  runtime.Decoder
	store    runtime.Encoder
	validate func(hub runtime.Object, version schema.GroupVersion) (create, update, status field.ErrorList)
}

func newServer(scheme *runtime.Scheme, hub schema.GroupVersion, validate func(runtime.Object, schema.GroupVersion) (_, _, _ field.ErrorList)) *server {
	codecs := serializer.NewCodecFactory(scheme)
	return &server{
		scheme:   scheme,
		decoder:  codecs.UniversalDecoder(hub),
		store:    codecs.EncoderForVersion(protobuf.NewSerializer(scheme, scheme), flowcontrolv1.SchemeGroupVersion),
		validate: validate,
	}
}

func newOurs() *server {
	return newServer(ourinstall.NewScheme(), ourhub.SchemeGroupVersion, func(hub runtime.Object, _ schema.GroupVersion) (_, _, _ field.ErrorList) {
		switch object := hub.(type) {
		case *ourhub.FlowSchema:
			errs := ours.ValidateFlowSchema(object)
			return errs, errs, ours.ValidateFlowSchemaStatus(object)
		case *ourhub.PriorityLevelConfiguration:
			errs := ours.ValidatePriorityLevelConfiguration(object)
			return errs, errs, ours.ValidatePriorityLevelConfigurationStatus(object)
		}
		panic(fmt.Sprintf("no validation of %T", hub))
	})
}

func newTheirs() *server {
	scheme := runtime.NewScheme()
	theirinstall.Install(scheme)
	return newServer(scheme, theirhub.SchemeGroupVersion, func(hub runtime.Object, version schema.GroupVersion) (_, _, _ field.ErrorList) {
		switch object := hub.(type) {
		case *theirhub.FlowSchema:
			old := &theirhub.FlowSchema{}
			return theirs.ValidateFlowSchema(object), theirs.ValidateFlowSchemaUpdate(old, object), theirs.ValidateFlowSchemaStatusUpdate(old, object)
		case *theirhub.PriorityLevelConfiguration:
			// Kubernetes validates an update of a level as it does a create.
			options := theirs.PriorityLevelValidationOptions{}
			old := &theirhub.PriorityLevelConfiguration{}
			return theirs.ValidatePriorityLevelConfiguration(object, version, options),
				theirs.ValidatePriorityLevelConfiguration(object, version, options),
				theirs.ValidatePriorityLevelConfigurationStatusUpdate(old, object)
		}
		panic(fmt.Sprintf("no validation of %T", hub))
	})
}

// answer decodes data, defaults, converts and validates it.
func (s *server) answer(data []byte) answer {
	hub, kind, err := s.decoder.Decode(data, nil, nil)
	if err != nil || !isServed(kind) {
		return answer{Undecodable: true}
	}
	create, update, status := s.validate(hub, kind.GroupVersion())
	result := answer{Create: describe(create), Update: describe(update), Status: describe(status)}
	if result.accepts() {
		result.Stored = s.convert(hub, flowcontrolv1.SchemeGroupVersion)
		result.Beta = s.convert(hub, flowcontrolv1beta3.SchemeGroupVersion)
		if result.Bytes, err = runtime.Encode(s.store, hub); err != nil {
			panic(fmt.Sprintf("a valid object cannot be stored: %v", err))
		}
	}
	return result
}

// isServed excludes lists, options, and the versions that only Kubernetes has.
func isServed(kind *schema.GroupVersionKind) bool {
	return slices.Contains([]string{"FlowSchema", "PriorityLevelConfiguration"}, kind.Kind) &&
		slices.Contains([]schema.GroupVersion{flowcontrolv1.SchemeGroupVersion, flowcontrolv1beta3.SchemeGroupVersion}, kind.GroupVersion())
}

func (s *server) convert(hub runtime.Object, version schema.GroupVersion) runtime.Object {
	object, err := s.scheme.ConvertToVersion(hub, version)
	if err != nil {
		panic(fmt.Sprintf("an object that was decoded has no form in %s: %v", version, err))
	}
	return object
}

// describe omits the wording, which differs between the servers.
func describe(errs field.ErrorList) []string {
	var faults []string
	for _, err := range errs {
		bad := err.BadValue
		if shown, ok := bad.(interface{ Value() any }); ok {
			bad = shown.Value()
		}
		value, marshalErr := json.Marshal(bad)
		if marshalErr != nil {
			panic(fmt.Sprintf("bad value of %s: %v", err.Field, marshalErr))
		}
		faults = append(faults, fmt.Sprintf("%s %s %s", string(err.Type), err.Field, value))
	}
	slices.Sort(faults)
	return faults
}
