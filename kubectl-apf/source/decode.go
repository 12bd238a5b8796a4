package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

// otherKindError is the error of a document that is no object of the group.
type otherKindError struct {
	kind            schema.GroupVersionKind
	namespace, name string
	// nested are the places of objects of the group in it, such as objects[2] or data["x.yaml"].
	nested []string
}

func (o *otherKindError) Error() string {
	return "kind " + o.kind.Kind + ": it is neither a FlowSchema nor a PriorityLevelConfiguration"
}

// decoder turns documents into objects of v1, with defaults, from any version of the
// group that ever was.
type decoder struct {
	scheme *runtime.Scheme
	strict runtime.Decoder
}

func newDecoder() *decoder {
	scheme := install.NewStorageScheme()
	// v1alpha1 has the fields of v1beta1.
	alpha := schema.GroupVersion{Group: flowcontrolv1.GroupName, Version: "v1alpha1"}
	scheme.AddKnownTypes(alpha, &flowcontrolv1beta1.FlowSchema{}, &flowcontrolv1beta1.PriorityLevelConfiguration{})
	strict := serializerjson.NewSerializerWithOptions(serializerjson.DefaultMetaFactory, scheme, scheme, serializerjson.SerializerOptions{Strict: true})
	return &decoder{scheme: scheme, strict: strict}
}

// toV1 sets the defaults of an object's version, and converts it.
func (d *decoder) toV1(object runtime.Object) (runtime.Object, error) {
	d.scheme.Default(object)
	hub, err := d.scheme.ConvertToVersion(object, flowcontrol.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	return d.scheme.ConvertToVersion(hub, flowcontrolv1.SchemeGroupVersion)
}

// list is a list of any kind, such as List or FlowSchemaList.
type list struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Continue string `json:"continue"`
	} `json:"metadata"`
	Items items `json:"items"`

	// kind is the kind of items that do not name theirs, as in a FlowSchemaList.
	kind *schema.GroupVersionKind
}

// items are no more than the bound.
type items []json.RawMessage

// UnmarshalJSON implements json.Unmarshaler.
func (i *items) UnmarshalJSON(text []byte) error {
	if text[0] != '[' {
		return json.Unmarshal(text, (*[]json.RawMessage)(i))
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	_, _ = decoder.Token() // the bracket
	for decoder.More() {
		var item json.RawMessage
		if err := decoder.Decode(&item); err != nil {
			return err
		}
		*i = append(*i, item)
		if err := plain.Default().Count(len(*i)); err != nil {
			return err
		}
	}
	return nil
}

// toJSON converts a document. duplicates says which keys YAML has twice.
func toJSON(document []byte) (converted []byte, duplicates, err error) {
	bounds := plain.Default()
	if isJSON(document) {
		return document, nil, bounds.JSON(document)
	}
	root, err := bounds.Nodes(document)
	if err == nil {
		converted, err = yaml.YAMLToJSON(document)
	}
	switch {
	case err == nil:
		return converted, duplicateKeys(root), nil
	case errors.Is(err, plain.ErrBound):
		return nil, nil, err
	case bytes.Contains(document, []byte("{{")):
		return nil, nil, errors.New("it is a template, and no YAML: give what helm template prints")
	default:
		return nil, nil, fmt.Errorf("it is no YAML: %w", err)
	}
}

// duplicateKeys says which keys a YAML document has twice in a mapping; nil if there are
// none. A key that replaces one of a merge (<<) is there once: that is what a merge is for.
func duplicateKeys(root *yamlv3.Node) error {
	var all []error
	var visit func(*yamlv3.Node)
	visit = func(node *yamlv3.Node) {
		if node.Kind == yamlv3.MappingNode {
			seen := map[string]bool{}
			for i := 0; i+1 < len(node.Content); i += 2 {
				key := node.Content[i]
				if key.Tag != "!!merge" && seen[key.Value] {
					all = append(all, fmt.Errorf("line %d: key %q already set in map", key.Line, key.Value))
				}
				seen[key.Value] = true
			}
		}
		for _, child := range node.Content { // aliases have none: their anchors are visited
			visit(child)
		}
	}
	visit(root)
	return errors.Join(all...)
}

func isJSON(document []byte) bool {
	text := bytes.TrimSpace(document)
	return bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte("{{")) // a template
}

// decodeAll returns the objects of a document, which may be a list, and what of it cannot be read. continues is the
// kind of a list that continues on another page.
func (d *decoder) decodeAll(place Place, document []byte) (objects []Object, failed []FileError, continues string) {
	converted, duplicates, err := toJSON(document)
	var l list
	if err == nil {
		l, err = listIn(converted)
	}
	if err != nil {
		return nil, []FileError{{Place: place, Err: err}}, ""
	}
	if l.Metadata.Continue != "" {
		continues = l.kind.Kind
	}
	for i, item := range l.Items {
		if l.kind != nil {
			place.Item = i
		}
		object, err := d.decode(item, l.kind)
		object.Place = place
		if err != nil {
			failed = append(failed, FileError{Place: place, Err: err})
			continue
		}
		objects = append(objects, object)
	}
	if duplicates != nil && len(objects) > 0 {
		objects[0].DuplicateFields = append(objects[0].DuplicateFields, oneSentence(duplicates))
	}
	return objects, failed, continues
}

// listIn returns the list that a document is. One that is no list is its only item, and has no kind.
func listIn(document []byte) (l list, err error) {
	if !isJSON(document) {
		return l, errors.New("it is not an object: must have the fields apiVersion and kind")
	}
	if err := json.Unmarshal(document, &l); err != nil {
		return l, fmt.Errorf("it is not an object: %w", err)
	}
	if !strings.HasSuffix(l.Kind, "List") {
		return list{Items: []json.RawMessage{document}}, nil
	}
	l.kind = new(schema.FromAPIVersionAndKind(l.APIVersion, strings.TrimSuffix(l.Kind, "List")))
	return l, nil
}

// decode returns the object of a document. kind is for a document that names none.
func (d *decoder) decode(document []byte, kind *schema.GroupVersionKind) (Object, error) {
	decoded, actual, err := d.strict.Decode(document, kind, nil)
	var object Object
	if strict, ok := runtime.AsStrictDecodingError(err); ok && decoded != nil {
		object.addStrict(strict.Errors())
		err = nil
	}
	if err != nil {
		return object, decodeError(actual, document, err)
	}
	object.APIVersion = actual.GroupVersion().String()
	if decoded, err = d.toV1(decoded); err != nil {
		return object, err
	}
	switch decoded := decoded.(type) {
	case *flowcontrolv1.FlowSchema:
		object.FlowSchema = decoded
	case *flowcontrolv1.PriorityLevelConfiguration:
		object.PriorityLevel = decoded
	default:
		return object, fmt.Errorf("%T is neither a FlowSchema nor a PriorityLevelConfiguration", decoded)
	}
	object.generateName()
	if object.Name() == "" {
		return object, errors.New("it has no name: metadata.name must be set")
	}
	return object, nil
}

// generateName gives an object with metadata.generateName a name as a server does, which
// appends five random characters to the first 58.
func (o *Object) generateName() {
	metadata := o.metadata()
	if metadata.Name == "" && metadata.GenerateName != "" {
		const longest = 58
		metadata.Name = metadata.GenerateName[:min(len(metadata.GenerateName), longest)] + "00000"
		o.IsNameGenerated = true
	}
}

func decodeError(kind *schema.GroupVersionKind, document []byte, err error) error {
	switch {
	case runtime.IsMissingKind(err):
		return errors.New("it has no kind: must be FlowSchema or PriorityLevelConfiguration")
	case runtime.IsMissingVersion(err):
		return fmt.Errorf("it has no apiVersion: must be %s", flowcontrolv1.SchemeGroupVersion)
	case runtime.IsNotRegisteredError(err) && kind != nil && kind.Group != flowcontrolv1.GroupName && kind.Kind != "FlowSchema" && kind.Kind != "PriorityLevelConfiguration":
		var object metav1.PartialObjectMetadata
		_ = json.Unmarshal(document, &object) // it has no name then
		return &otherKindError{kind: *kind, namespace: object.Namespace, name: object.Name, nested: nestedIn(document)}
	case runtime.IsNotRegisteredError(err) && kind != nil:
		return fmt.Errorf("the kind %s of %s is unknown: must be a FlowSchema or PriorityLevelConfiguration of %s", kind.Kind, kind.GroupVersion(), flowcontrolv1.SchemeGroupVersion)
	default:
		return err
	}
}

// addStrict sorts the errors of strict decoding, which are such as
// unknown field "spec.foo".
func (o *Object) addStrict(all []error) {
	for _, err := range all {
		text := oneSentence(err)
		if field, ok := strings.CutPrefix(text, `unknown field "`); ok {
			o.UnknownFields = append(o.UnknownFields, strings.TrimSuffix(field, `"`))
			continue
		}
		o.DuplicateFields = append(o.DuplicateFields, text)
	}
}
