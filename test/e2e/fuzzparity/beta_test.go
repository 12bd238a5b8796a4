package fuzzparity

import (
	"encoding/json"
	"maps"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// inV1 converts an object from v1beta3 to v1, by the published rules: shares that
// are zero or missing get the default, unless the annotation preserves the zero.
// v1 has no such annotation. Values of the wrong type are unchanged: both versions
// reject them. An object without a kind has the kind of the URL.
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

// takeMark removes the annotation that preserves a zero, and reports whether it
// was set.
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

// toV1beta3 converts an object from v1 to v1beta3. Explicit zero shares get the
// annotation that preserves them. Other objects get it at random.
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
