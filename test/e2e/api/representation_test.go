package api

import (
	"strings"

	"sigs.k8s.io/yaml"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// representationTheme tests the encodings and representations of objects.
func representationTheme() theme {
	return theme{"representations", append(encodingCases(), append(partialCases(), rejectedTypes()...)...)}
}

func toYAML(object string) string {
	text, err := yaml.JSONToYAML([]byte(object))
	if err != nil {
		panic(err)
	}
	return string(text)
}

func encodingCases() []testCase {
	encoded := map[string]string{"application/json": level("a", 3), "application/yaml": toYAML(level("a", 3)), protobufType: toProtobuf(level("a", 3))}
	var cases []testCase
	for _, kind := range sortedKeys(encoded) {
		c := testCase{name: "a body in " + kind, proves: []string{"repr.json", "repr.yaml", "repr.protobuf"}}
		for _, accept := range append(sortedKeys(encoded), "*/*", "text/html;q=0.9, application/yaml;q=0.8") {
			c.steps = append(c.steps,
				post("prioritylevelconfigurations", encoded[kind]).with("Content-Type", kind).with("Accept", accept),
				put("prioritylevelconfigurations/a", encoded[kind]).with("Content-Type", kind).with("Accept", accept),
				get("prioritylevelconfigurations/a").with("Accept", accept), get("prioritylevelconfigurations").with("Accept", accept),
				get("prioritylevelconfigurations/absent").with("Accept", accept).gives(404),
				remove("prioritylevelconfigurations/a", "").with("Accept", accept))
		}
		cases = append(cases, c)
	}
	large := having(level("large", 1), "metadata.annotations", map[string]any{"text": strings.Repeat("compressible ", 20_000)})
	return append(cases,
		testCase{
			name: "a watch in protobuf and YAML", proves: []string{"watch.protobuf"},
			steps: []step{
				open("w", watch("resourceVersion=<before>")).with("Accept", protobufType+";stream=watch"),
				open("v", watch("resourceVersion=<before>")).with("Accept", protobufType),
				open("y", watch("resourceVersion=<before>")).with("Accept", "application/yaml").gives(406),
				post("prioritylevelconfigurations", level("a", 3)), remove("prioritylevelconfigurations/a", ""),
				read("w", 2).saying("ADDED", "DELETED"), read("v", 2),
			},
		},
		testCase{
			name: "large answers are compressed", proves: []string{"repr.gzip"},
			steps: []step{
				post("prioritylevelconfigurations", large).with("Accept-Encoding", "gzip"),
				get("prioritylevelconfigurations/large").with("Accept-Encoding", "gzip").saying("compressible"),
				get("prioritylevelconfigurations").with("Accept-Encoding", "gzip"),
				get("prioritylevelconfigurations/large").with("Accept-Encoding", "br, gzip;q=0.5"),
				get("prioritylevelconfigurations/large").with("Accept-Encoding", "gzip").with("Accept", protobufType),
				get("prioritylevelconfigurations/large").with("Accept-Encoding", "identity"),
				get("prioritylevelconfigurations/exempt").with("Accept-Encoding", "gzip"),
			},
		},
		testCase{
			name: "pretty answers, and answers for browsers", proves: []string{"repr.json"},
			steps: []step{
				get("prioritylevelconfigurations/exempt?pretty=true"), get("prioritylevelconfigurations/exempt?pretty=1"), get("flowschemas/none?pretty=true").gives(404),
				get("prioritylevelconfigurations/exempt").with("User-Agent", "Mozilla/5.0"), get("prioritylevelconfigurations/exempt").with("User-Agent", "curl/8"),
				get("prioritylevelconfigurations/exempt").with("Accept", "application/json;pretty=1"),
			},
		})
}

// partialCases test metadata-only representations.
func partialCases() []testCase {
	const one, many = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v="
	var steps []step
	for _, version := range []string{"v1", "v1beta1"} {
		steps = append(steps,
			get("flowschemas/exempt").with("Accept", one+version).without(`"spec"`),
			get("flowschemas?limit=2").with("Accept", many+version).without(`"spec"`).saying("remainingItemCount"),
			get("flowschemas").with("Accept", one+version).gives(406), get("flowschemas/exempt").with("Accept", many+version).gives(406),
			get("flowschemas/exempt").with("Accept", strings.Replace(one+version, "json", "yaml", 1)),
			post("prioritylevelconfigurations?dryRun=All", level("a", 1)).with("Accept", one+version),
			patch("merge", "prioritylevelconfigurations/workload-low?dryRun=All", "{}").with("Accept", one+version),
			remove("prioritylevelconfigurations/workload-low?dryRun=All", "").with("Accept", one+version))
	}
	return []testCase{
		{name: "metadata alone", proves: []string{"repr.partial"}, steps: steps},
		{
			name: "metadata alone in protobuf, and watched", proves: []string{"repr.partial", "watch.protobuf"},
			steps: []step{
				get("flowschemas/exempt").with("Accept", strings.Replace(one+"v1", "application/json", protobufType, 1)),
				get("flowschemas").with("Accept", strings.Replace(many+"v1", "application/json", protobufType, 1)),
				open("w", watch("resourceVersion=<before>")).with("Accept", one+"v1"),
				open("p", watch("resourceVersion=<before>")).with("Accept", strings.Replace(one+"v1", "application/json", protobufType, 1)),
				open("i", watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")).with("Accept", one+"v1"),
				post("prioritylevelconfigurations", level("a", 3)),
				read("w", 1).saying("PartialObjectMetadata").without(`"spec"`), read("p", 1).saying("PartialObjectMetadata"), read("i", 10).saying("initial-events-end"),
			},
		},
	}
}

func rejectedTypes() []testCase {
	return []testCase{
		{
			name: "answers that are not offered", proves: []string{"repr.406"},
			steps: []step{
				get("flowschemas").with("Accept", "text/html").gives(406), get("flowschemas/exempt").with("Accept", "application/xml").gives(406),
				get("flowschemas/exempt").with("Accept", "application/cbor").gives(406),
				get("flowschemas").with("Accept", "application/json;as=Poem;g=meta.k8s.io;v=v1").gives(406),
				get("flowschemas").with("Accept", "application/json;as=Table;g=meta.k8s.io;v=v9").gives(406),
				get("flowschemas").with("Accept", "application/json;as=Table;g=other;v=v1").gives(406),
				get("flowschemas").with("Accept", "application/json;as=Table;g=other;v=v1, application/json"),
				get("flowschemas").with("Accept", ";;;").gives(406), get("flowschemas").with("Accept", "application/*").gives(406),
				post("flowschemas", flowSchema("a")).with("Accept", "text/html").gives(406).writesNothing(),
				patch("merge", "flowschemas/exempt", "{}").with("Accept", "text/html").gives(406), remove("flowschemas/exempt", "").with("Accept", "text/html").gives(406).writesNothing(),
				remove("flowschemas", "").with("Accept", "text/html").gives(406).writesNothing(),
			},
		},
		{
			name: "bodies that are not understood", proves: []string{"repr.415"},
			steps: []step{
				post("flowschemas", "<x/>").with("Content-Type", "application/xml").gives(415), put("flowschemas/exempt", "<x/>").with("Content-Type", "application/xml").gives(415),
				post("flowschemas", flowSchema("a")).with("Content-Type", ";;;").gives(415), post("flowschemas", flowSchema("a")).with("Content-Type", "application/cbor").gives(415),
				ask("PATCH", "flowschemas/exempt", "{}").gives(415), ask("PATCH", "flowschemas/exempt", "{}").with("Content-Type", "application/patch").gives(415),
				ask("PATCH", "flowschemas/exempt", "{}").with("Content-Type", "").gives(415),
				remove("flowschemas/exempt", "<x/>").with("Content-Type", "application/xml").gives(415).writesNothing(),
				post("flowschemas", flowSchema("a")).with("Content-Type", ""), // JSON by default
			},
		},
	}
}
