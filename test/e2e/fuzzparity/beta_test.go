package fuzzparity

import (
	"encoding/json"
	"maps"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// inV1 is the object of v1 that means what the tree means in v1beta3, by the
// rules that were published with it: shares that are zero or left out are the
// default, unless the annotation keeps the zero, and v1 has no such annotation.
// What is not of the right type stays as it is: no version takes it. An object
// that does not name its kind is of the one that the URL names.
func inV1(tree any, kind string) any {
	object, ok := tree.(map[string]any)
	if !ok {
		return tree
	}
	if object["apiVersion"] == flowcontrolv1.GroupName+"/"+versionOld {
		object["apiVersion"] = flowcontrolv1.GroupName + "/" + versionNew
	}
	if own, _ := object["kind"].(string); own != "" {
		kind = own
	}
	if kind != kindLevel {
		return tree
	}
	marked := takeMark(object)
	spec, _ := object["spec"].(map[string]any)
	limited, _ := spec["limited"].(map[string]any)
	if limited == nil || !isZero(limited["nominalConcurrencyShares"]) {
		return tree
	}
	if marked {
		limited["nominalConcurrencyShares"] = json.Number("0")
	} else {
		delete(limited, "nominalConcurrencyShares")
	}
	return tree
}

func isZero(shares any) bool { return shares == nil || shares == json.Number("0") }

// takeMark takes the annotation that keeps a zero off, and tells whether it was there.
func takeMark(object map[string]any) bool {
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	value, marked := annotations[objects.KeepZeroShares]
	if _, isText := value.(string); !marked || (value != nil && !isText) {
		return false
	}
	delete(annotations, objects.KeepZeroShares)
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	return true
}

// toV1beta3 writes an object of v1 in v1beta3. Zero shares that are given get
// the annotation, as an object that means them would have it; other objects
// get it now and then.
func toV1beta3(g *objects.Generator, tree map[string]any) map[string]any {
	if tree["apiVersion"] == flowcontrolv1.GroupName+"/"+versionNew {
		tree["apiVersion"] = flowcontrolv1.GroupName + "/" + versionOld
	}
	spec, _ := tree["spec"].(map[string]any)
	limited, _ := spec["limited"].(map[string]any)
	metadata, _ := tree["metadata"].(map[string]any)
	if metadata == nil || limited == nil {
		return tree
	}
	if given := limited["nominalConcurrencyShares"] == json.Number("0"); given != g.Chance(0.2) {
		annotations, _ := metadata["annotations"].(map[string]any)
		annotations = maps.Clone(annotations)
		if annotations == nil {
			annotations = map[string]any{}
		}
		annotations[objects.KeepZeroShares] = ""
		metadata["annotations"] = annotations
	}
	return tree
}
