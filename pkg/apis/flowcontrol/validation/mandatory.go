package validation

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	flowcontrolconversion "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
)

// validateMandatoryFlowSchema checks that a mandatory schema has the built-in spec,
// which is enforced in any case.
func validateMandatoryFlowSchema(schema *flowcontrol.FlowSchema, path *field.Path) field.ErrorList {
	builtIn, mandatory := named(bootstrap.MandatoryFlowSchemas, schema.Name)
	if !mandatory {
		return nil
	}
	var spec flowcontrolv1.FlowSchemaSpec
	// spec shares memory with schema and is read only.
	if err := flowcontrolconversion.Convert_flowcontrol_FlowSchemaSpec_To_v1_FlowSchemaSpec(&schema.Spec, &spec, nil); err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	return notBuiltIn(path, schema.Spec, &spec, &builtIn.Spec, "schema '"+schema.Name+"'")
}

// validateMandatoryLevel checks that a mandatory level has the built-in spec, except
// for the shares and the lendable percentage of exempt, which users may set.
func validateMandatoryLevel(level *flowcontrol.PriorityLevelConfiguration, path *field.Path) field.ErrorList {
	builtIn, mandatory := named(bootstrap.MandatoryPriorityLevelConfigurations, level.Name)
	if !mandatory {
		return nil
	}
	var spec flowcontrolv1.PriorityLevelConfigurationSpec
	// spec shares memory with level and is read only.
	if err := flowcontrolconversion.Convert_flowcontrol_PriorityLevelConfigurationSpec_To_v1_PriorityLevelConfigurationSpec(&level.Spec, &spec, nil); err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	want := builtIn.Spec
	if level.Name == flowcontrolv1.PriorityLevelConfigurationNameExempt {
		want.Exempt = spec.Exempt
	}
	return notBuiltIn(path, level.Spec, &spec, &want, "level '"+level.Name+"'")
}

// named returns the object of a name.
func named[T metav1.Object](objects []T, name string) (found T, ok bool) {
	for _, object := range objects {
		if object.GetName() == name {
			return object, true
		}
	}
	return found, false
}

// maxDifferences bounds the fields that a message names.
const maxDifferences = 4

// notBuiltIn returns the error of a mandatory object whose spec is not the built-in one, none otherwise.
// Its field is the whole spec, as in kube-apiserver; the message names the fields that
// differ, and their built-in values.
func notBuiltIn(path *field.Path, value, spec, builtIn any, name string) field.ErrorList {
	if equality.Semantic.DeepEqual(spec, builtIn) {
		return nil
	}
	var found differences
	found.collect("", inTree(spec), inTree(builtIn))
	got, want := map[string]any{}, map[string]any{}
	for _, difference := range found[:min(len(found), maxDifferences)] {
		got[difference.path], want[difference.path] = difference.got, difference.want
	}
	detail := fmt.Sprintf("must equal the built-in spec of the mandatory %s: %s", name, inJSON(want))
	if more := len(found) - len(want); more > 0 {
		detail += fmt.Sprintf(", and %d more", more)
	}
	return field.ErrorList{field.Invalid(path, shown{value, inJSON(got).text}, detail)}
}

// differences are the fields that differ between two specs, by path.
type differences []difference

type difference struct {
	path      string
	got, want any
}

// collect appends the differences between two values at path.
func (d *differences) collect(path string, got, want any) {
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			both := maps.Clone(got)
			maps.Copy(both, want)
			for _, key := range slices.Sorted(maps.Keys(both)) {
				d.collect(strings.TrimPrefix(path+"."+key, "."), got[key], want[key])
			}
			return
		}
	case []any:
		if got, ok := got.([]any); ok {
			for i := range max(len(got), len(want)) {
				d.collect(fmt.Sprintf("%s[%d]", path, i), item(got, i), item(want, i))
			}
			return
		}
	}
	if !reflect.DeepEqual(got, want) {
		*d = append(*d, difference{path, got, want})
	}
}

// item returns nil beyond the end of the list.
func item(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// inTree returns a spec as JSON is decoded, empty if it has no JSON.
func inTree(spec any) map[string]any {
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(spec)
	if err != nil { // every spec is an object
		return nil
	}
	return tree
}
