package fuzzparity

import (
	"encoding/json"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// form is an encoding of objects.
type form struct {
	name, contentType string
	// encode encodes a JSON tree; kind is the URL's.
	encode func(tree []byte, version, kind string) []byte
}

func forms() []form {
	asIs := func(tree []byte, _, _ string) []byte { return tree }
	return []form{
		{"JSON", runtime.ContentTypeJSON, asIs},
		{"YAML", runtime.ContentTypeYAML, toYAML},
		{"protobuf", runtime.ContentTypeProtobuf, toProtobuf},
		{"JSON called YAML", runtime.ContentTypeYAML, asIs},
		{"YAML called JSON", runtime.ContentTypeJSON, toYAML},
		{"protobuf called JSON", runtime.ContentTypeJSON, toProtobuf},
		{"JSON called protobuf", runtime.ContentTypeProtobuf, asIs},
		{"JSON called text", "text/plain", asIs},
	}
}

func toYAML(tree []byte, _, _ string) []byte {
	text, err := yaml.JSONToYAML(tree)
	if err != nil {
		return tree
	}
	return text
}

// toProtobuf encodes the fields of the published type. If the tree does not match
// the type, the envelope has no message.
func toProtobuf(tree []byte, version, kind string) []byte {
	var envelope runtime.Unknown
	var types struct{ APIVersion, Kind string }
	if json.Unmarshal(tree, &types) == nil {
		envelope.APIVersion, envelope.Kind = types.APIVersion, types.Kind
	}
	object := publishedType(version, kind)
	if kjson.UnmarshalCaseSensitivePreserveInts(tree, object) == nil {
		message, err := object.Marshal()
		if err != nil {
			panic(err)
		}
		envelope.Raw = message
	}
	data, err := envelope.Marshal()
	if err != nil {
		panic(err)
	}
	return append([]byte("k8s\x00"), data...)
}

func publishedType(version, kind string) interface{ Marshal() ([]byte, error) } {
	switch {
	case version == versionOld && kind == kindSchema:
		return &flowcontrolv1beta3.FlowSchema{}
	case version == versionOld:
		return &flowcontrolv1beta3.PriorityLevelConfiguration{}
	case kind == kindSchema:
		return &flowcontrolv1.FlowSchema{}
	}
	return &flowcontrolv1.PriorityLevelConfiguration{}
}
