package lint

import (
	"slices"
	"strconv"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Defaults are the built-in objects of a release, as kube-apiserver creates them.
type Defaults struct {
	FlowSchemas    []*flowcontrolv1.FlowSchema
	PriorityLevels []*flowcontrolv1.PriorityLevelConfiguration
}

// complete returns the objects with the defaults of their fields.
func (d Defaults) complete() Defaults {
	return Defaults{FlowSchemas: completeSchemas(d.FlowSchemas), PriorityLevels: completeLevels(d.PriorityLevels)}
}

func (d Defaults) schema(name string) *flowcontrolv1.FlowSchema { return named(d.FlowSchemas, name) }

func (d Defaults) level(name string) *flowcontrolv1.PriorityLevelConfiguration {
	return named(d.PriorityLevels, name)
}

// hasSchema reports whether the schema is built in and has the spec of the release.
func (d Defaults) hasSchema(schema *flowcontrolv1.FlowSchema) bool {
	builtIn := d.schema(schema.Name)
	return builtIn != nil && equality.Semantic.DeepEqual(builtIn.Spec, schema.Spec)
}

// hasLevel reports whether the level is built in and has the spec of the release.
func (d Defaults) hasLevel(level *flowcontrolv1.PriorityLevelConfiguration) bool {
	builtIn := d.level(level.Name)
	return builtIn != nil && equality.Semantic.DeepEqual(builtIn.Spec, level.Spec)
}

func named[O metav1.Object](objects []O, name string) O {
	at := slices.IndexFunc(objects, func(o O) bool { return o.GetName() == name })
	if at < 0 {
		var none O
		return none
	}
	return objects[at]
}

// isMandatoryLevel reports whether the level is enforced even if it is not stored.
func isMandatoryLevel(name string) bool {
	return name == flowcontrolv1.PriorityLevelConfigurationNameExempt || name == flowcontrolv1.PriorityLevelConfigurationNameCatchAll
}

func isMandatory(object Object) bool {
	if object.Kind == kindPriorityLevel {
		return isMandatoryLevel(object.Name)
	}
	return isMandatorySchema(object.Name)
}

// AutoUpdate returns the value of the annotation that says whether the server owns the spec of
// an object. It is not ok if the annotation is absent or not a boolean of strconv.ParseBool, which
// kube-apiserver uses too.
func AutoUpdate(object metav1.Object) (owns, ok bool) {
	owns, err := strconv.ParseBool(object.GetAnnotations()[flowcontrolv1.AutoUpdateAnnotationKey])
	return owns, err == nil
}

// ServerOwns reports whether the server may change the spec of a suggested object. It
// may if the annotation says so, and without the annotation unless a user has changed
// the spec. A manifest has no generation: applying it keeps the annotation that the
// server has set.
func ServerOwns(object metav1.Object) bool {
	if owns, ok := AutoUpdate(object); ok {
		return owns
	}
	return object.GetGeneration() <= 1
}

const autoUpdateField = "metadata.annotations[" + flowcontrolv1.AutoUpdateAnnotationKey + "]"

// reverted is FC301.
func reverted(object Object) Finding {
	return finding(RevertedChange, object, autoUpdateField,
		"The server changes the spec of this built-in object back to its default within minutes, because the annotation "+flowcontrolv1.AutoUpdateAnnotationKey+` is not "false".`,
		`Set the annotation to "false" together with the change.`)
}

// deletedSuggestion is FC302.
func deletedSuggestion(object Object) Finding {
	return finding(DeletedSuggestion, object, "",
		"This suggested object is deleted, and the server creates it again within minutes.",
		`Keep the object, set its annotation `+flowcontrolv1.AutoUpdateAnnotationKey+` to "false", and change its spec so that it has little effect.`)
}

// deletedByServer is FC304.
func deletedByServer(object Object) Finding {
	return finding(DeletedByServer, object, autoUpdateField,
		`The server deletes this object within minutes, because the annotation `+flowcontrolv1.AutoUpdateAnnotationKey+` is "true" and no built-in object of this release has the name.`,
		"Remove the annotation, which belongs to built-in objects.")
}

// IsObsolete reports whether the server takes an object that is not built in for one
// of another release, and deletes it. An object that waits for its finalizers is already deleted.
func IsObsolete(object metav1.Object) bool {
	owns, _ := AutoUpdate(object)
	return owns && object.GetDeletionTimestamp() == nil
}

// ownership returns the findings about who owns the object: FC301 and FC304. isDefault
// reports whether it has the spec of the release.
func ownership(object Object, metadata metav1.Object, isBuiltIn, isDefault bool) []Finding {
	switch {
	case isMandatory(object) || isDefault:
		return nil
	case isBuiltIn && ServerOwns(metadata):
		return []Finding{reverted(object)}
	case !isBuiltIn && IsObsolete(metadata):
		return []Finding{deletedByServer(object)}
	default:
		return nil
	}
}

// judgeBuiltIn finds suggested objects that are missing.
func (j *judge) judgeBuiltIn() {
	for _, schema := range j.defaults.FlowSchemas {
		if !isMandatorySchema(schema.Name) && named(j.schemas, schema.Name) == nil {
			j.add(deletedSuggestion(schemaObject(schema.Name)))
		}
	}
	for _, level := range j.defaults.PriorityLevels {
		if j.levels[level.Name] == nil {
			j.add(deletedSuggestion(levelObject(level.Name)))
		}
	}
}
