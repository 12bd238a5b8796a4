package api

import (
	"maps"
	"slices"

	"sigs.k8s.io/yaml"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// encodingTheme tests each encoding of a body with each of an answer.
func encodingTheme() theme {
	encoded := map[string]string{"application/json": level("a", 3), "application/yaml": toYAML(level("a", 3)), protobufType: toProtobuf(level("a", 3))}
	var cases []testCase
	for _, kind := range slices.Sorted(maps.Keys(encoded)) {
		c := testCase{name: "a body in " + kind}
		for _, accept := range slices.Sorted(maps.Keys(encoded)) {
			c.steps = append(c.steps,
				post("prioritylevelconfigurations", encoded[kind]).with("Content-Type", kind).with("Accept", accept),
				put("prioritylevelconfigurations/a", encoded[kind]).with("Content-Type", kind).with("Accept", accept),
				get("prioritylevelconfigurations").with("Accept", accept), get("prioritylevelconfigurations/absent").with("Accept", accept).gives(404),
				remove("prioritylevelconfigurations/a", "").with("Accept", accept))
		}
		cases = append(cases, c)
	}
	return theme{"encodings", cases}
}

func toYAML(object string) string {
	text, err := yaml.JSONToYAML([]byte(object))
	if err != nil {
		panic(err)
	}
	return string(text)
}
