package api

import (
	"fmt"
	"strings"
)

// bodyDetailTheme tests invalid and unusual bodies.
func bodyDetailTheme() theme {
	return theme{"body details", append(textCases(), append(numberCases(), sizeCases()...)...)}
}

func textCases() []testCase {
	const all, one = "prioritylevelconfigurations", "prioritylevelconfigurations/exempt"
	raw := strings.NewReplacer
	annotated := func(value string) string {
		return raw(`"name":"a"`, `"name":"a","annotations":{"x":`+value+`}`).Replace(level("a", 1))
	}
	rejected := func(body string) step { return post(all, body).gives(400).writesNothing() }
	yaml := func(body string) step { return inYAML("POST", all, body).gives(400).writesNothing() }
	binary := toProtobuf(level("a", 1))
	var cut []step
	for _, length := range []int{1, 4, 5, 20, len(binary) / 2, len(binary) - 1} {
		cut = append(cut, post(all, binary[:length]).with("Content-Type", protobufType).gives(400).writesNothing(), put(one, binary[:length]).with("Content-Type", protobufType).gives(400).writesNothing())
	}
	return []testCase{
		{
			name: "JSON that is none", proves: []string{"valid.bad-body"},
			steps: []step{
				rejected(level("a", 1) + "rest"), rejected(level("a", 1) + level("b", 1)), rejected("\ufeff" + level("a", 1)), rejected("// comment\n" + level("a", 1)), rejected(strings.ReplaceAll(level("a", 1), `"`, `'`)),
				rejected(raw(`}}}`, `}},}`).Replace(level("a", 1))), rejected(raw(`:1,`, `:01,`).Replace(level("a", 1))), rejected(raw(`:1,`, `:NaN,`).Replace(level("a", 1))), rejected(raw(`:1,`, `:0x1,`).Replace(level("a", 1))),
				rejected(annotated(`"\x"`)), rejected(annotated("\"line\nbreak\"")), rejected(annotated(`{}`)), rejected(annotated(`[]`)), rejected(annotated(`7`)), rejected(annotated(`true`)), rejected(" "), rejected("\x00"),
				rejected("\xff\xfe{\x00}\x00"), post(all, " \n\t"+level("a", 1)+"\r\n "), put(one, "").gives(400), put(one+"/status", "").gives(400), ask("PUT", one, "{}").gives(400), put(one, "[{}]").gives(400),
			},
		},
		{
			name: "texts in JSON", proves: []string{"valid.bad-body", "valid.wild", "repr.json"},
			steps: []step{
				post(all, annotated(`null`)).saying(`"x":""`), put(all+"/a", annotated(`"\u0000"`)), put(all+"/a", annotated(`"\ud800"`)), put(all+"/a", annotated(`"\ud83d\ude00"`)), put(all+"/a", annotated("\"\xff\"")),
				put(all+"/a", annotated(`"<script>&\u2028"`)), put(all+"/a", annotated("\"\u200b\u202e\"")), get(all+"/a").with("Accept", protobufType), get(all+"/a").with("Accept", "application/yaml"),
				put(all+"/a", annotated("\"\xff\"")).with("Accept", protobufType),
			},
		},
		{
			name: "YAML that is none, or too much", proves: []string{"valid.bad-body", "valid.wild", "repr.yaml"},
			steps: []step{
				yaml("\tname: x"), yaml("a: b: c"), yaml("{"), yaml("- x"), yaml("text"), yaml("7"), yaml("a: *none"), yaml("%YAML 9.9\n---\n" + toYAML(level("a", 1))), yaml("!!binary x"), yaml("? {a: b}\n: c\n"), yaml(bomb()),
				yaml(strings.Repeat("[", 20_000)), yaml("k8s\x00x"),
				inYAML("POST", all, "~").gives(422), inYAML("POST", all, "").gives(422), inYAML("POST", all, "--- \n").gives(422), inYAML("POST", all, level("a", 1)).gives(201),
				inYAML("PUT", all+"/a", toYAML(level("a", 2))+"---\n"+toYAML(level("b", 2))), inYAML("PUT", all+"/a", strings.Replace(toYAML(level("a", 1)), "nominalConcurrencyShares: 1", "nominalConcurrencyShares: 0o10", 1)),
				inYAML("PUT", all+"/a", strings.Replace(toYAML(level("a", 1)), "nominalConcurrencyShares: 1", "nominalConcurrencyShares: 010", 1)),
				inYAML("PUT", all+"/a", strings.Replace(toYAML(level("a", 1)), "nominalConcurrencyShares: 1", "nominalConcurrencyShares: yes", 1)).gives(400),
				inYAML("PUT", all+"/a", strings.Replace(toYAML(level("a", 1)), "name: a", "name: a\n  labels: {<<: {merged: x}}", 1)),
				inYAML("PUT", all+"/a", strings.Replace(toYAML(level("a", 1)), "name: a", "name: a\n  labels: {1: x, true: y}", 1)).gives(400),
			},
		},
		{name: "protobuf that is cut", proves: []string{"valid.bad-body", "repr.protobuf"}, steps: cut},
		{
			name: "protobuf that is something else", proves: []string{"valid.bad-body", "valid.wrong-kind", "repr.protobuf"},
			steps: []step{
				post(all, level("a", 1)).with("Content-Type", protobufType).gives(400), post(all, binary).gives(400), inYAML("POST", all, binary).gives(400), post(all, binary+"rest").with("Content-Type", protobufType).gives(400),
				post(all, "k8s\x00").with("Content-Type", protobufType).gives(400), post(all, binary[:4]+strings.Repeat("\xff", 100)).with("Content-Type", protobufType).gives(400),
				post(all, strings.Replace(binary, "PriorityLevelConfiguration", "PriorityLevelConfigurationX", 1)).with("Content-Type", protobufType).gives(400), post("flowschemas", binary).with("Content-Type", protobufType).gives(400),
				ask("POST", all, "").with("Content-Type", protobufType).gives(400), put(one, binary).with("Content-Type", protobufType).gives(400), patch("merge", one, binary).gives(400), patch("apply", one+"?fieldManager=m", binary).gives(400),
				post(all, binary).with("Content-Type", protobufType+";type=x"),
			},
		},
		{
			name: "types of bodies", proves: []string{"repr.415", "valid.bad-body"},
			steps: []step{
				post(all, level("a", 1)).with("Content-Type", "application/json; charset=utf-8"), put(all+"/a", level("a", 2)).with("Content-Type", "APPLICATION/JSON"),
				put(all+"/a", level("a", 2)).with("Content-Type", "application/json, application/yaml").gives(415), put(all+"/a", level("a", 2)).with("Content-Type", "*/*").gives(415),
				put(all+"/a", level("a", 2)).with("Content-Type", "application/*").gives(415),
				put(all+"/a", level("a", 2)).with("Content-Type", "text/json").gives(415), put(all+"/a", level("a", 2)).with("Content-Type", "application/merge-patch+json").gives(415),
				put(all+"/a", level("a", 2)).with("Content-Type", "application/x-www-form-urlencoded").gives(415), put(all+"/a", toYAML(level("a", 3))).with("Content-Type", "").gives(400),
				put(all+"/a/status", level("a", 2)).with("Content-Type", "text/plain").gives(415),
				post(all, level("b", 1)).with("Content-Type", "application/json;stream=watch"), post(all, level("c", 1)).with("Content-Encoding", "gzip"),
			},
		},
	}
}

// bomb returns YAML that expands to a much larger document.
func bomb() string {
	text := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		text += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 8), i)
	}
	return text
}

func numberCases() []testCase {
	const all, one = "prioritylevelconfigurations", "prioritylevelconfigurations/a"
	write := func(kind, number string) step {
		if kind == "yaml" {
			return inYAML("PUT", one, strings.Replace(toYAML(level("a", 1)), "nominalConcurrencyShares: 1", "nominalConcurrencyShares: "+number, 1))
		}
		return put(one, strings.Replace(level("a", 1), `"nominalConcurrencyShares":1`, `"nominalConcurrencyShares":`+number, 1))
	}
	var cases []testCase
	for _, kind := range []string{"json", "yaml"} {
		steps := []step{post(all, level("a", 1))}
		for _, good := range []string{"0", "2147483647", "null", "-0"} {
			steps = append(steps, write(kind, good))
		}
		if kind == "yaml" { // YAML has one type of numbers
			steps = append(steps, write(kind, "1.0"), write(kind, "1e2"))
		}
		for _, bad := range []string{"-1", "-2147483648"} {
			steps = append(steps, write(kind, bad).gives(422).writesNothing())
		}
		for _, wrong := range []string{"2147483648", "-2147483649", "9223372036854775808", "1e400", "-1e400", "1.5", `"1"`, "true", "[1]", "{}", strings.Repeat("9", 5_000)} {
			steps = append(steps, write(kind, wrong).gives(400).writesNothing())
		}
		cases = append(cases, testCase{name: "numbers in " + kind, proves: []string{"valid.wild", "valid.invalid"}, steps: steps})
	}
	return append(cases, testCase{
		name: "numbers in patches that would be cut", proves: []string{"valid.wild", "patch.malformed"}, alone: "kube-apiserver stores what is left of the number in 32 bits",
		steps: []step{
			post(all, level("a", 1)), patch("strategic-merge", one, `{"spec":{"limited":{"nominalConcurrencyShares":99999999999}}}`).gives(400).saying("spec.limited.nominalConcurrencyShares").writesNothing(),
			forced("m", "a", strings.Replace(level("a", 1), `:1,`, `:99999999999,`, 1)).gives(400).saying("spec.limited.nominalConcurrencyShares").writesNothing(),
			forced("m", "a", toYAML(having(level("a", 1), "spec.limited.lendablePercent", 4294967306))).gives(400).writesNothing(),
			forced("m", "b", strings.Replace(level("b", 1), `:1,`, `:-4294967295,`, 1)).gives(400).writesNothing(),
		},
	}, testCase{
		name: "numbers in patches", proves: []string{"valid.wild", "patch.impossible", "patch.malformed"},
		steps: []step{
			post(all, level("a", 1)), patch("merge", one, `{"spec":{"limited":{"nominalConcurrencyShares":1e400}}}`).gives(400), patch("merge", one, `{"spec":{"limited":{"nominalConcurrencyShares":99999999999}}}`).gives(422),
			patch("json", one, `[{"op":"replace","path":"/spec/limited/nominalConcurrencyShares","value":1.5}]`).gives(422), patch("json", one, `[{"op":"replace","path":"/spec/limited/nominalConcurrencyShares","value":1e400}]`).gives(400),
			patch("strategic-merge", one, `{"spec":{"limited":{"nominalConcurrencyShares":2.5}}}`).gives(422), forced("m", "a", strings.Replace(level("a", 1), `:1,`, `:1.5,`, 1)).gives(400),
			patch("json", one, `[{"op":"add","path":"/spec/limited/limitResponse/queuing","value":{"queues":99999999,"handSize":9,"queueLengthLimit":1}}]`).gives(422), patch("merge", one, `{"metadata":{"generation":1e30}}`).gives(422),
		},
	})
}

func sizeCases() []testCase {
	const all, one = "prioritylevelconfigurations", "prioritylevelconfigurations/exempt"
	over, near := strings.Repeat("x", 4<<20), strings.Repeat("x", 255<<10)
	nested := func(depth int) string { return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth) }
	return []testCase{
		{
			name: "bodies over the limit, of every kind", proves: []string{"valid.too-large"},
			steps: []step{
				inYAML("POST", all, "x: "+over).gives(413).writesNothing(), post(all, "k8s\x00"+over).with("Content-Type", protobufType).gives(413), put(one, `{"x":"`+over+`"}`).gives(413), put(one+"/status", over).gives(413),
				patch("json", one, "["+over+"]").gives(413), patch("strategic-merge", one, over).gives(413), patch("apply", one+"?fieldManager=m", over).gives(413),
				remove(all, over).gives(413).writesNothing(), post(all+"?dryRun=All", over).gives(413), post("flowschemas", over).with("Content-Type", "text/plain").gives(415),
				post("flowschemas", strings.Repeat(" ", 3<<20)+flowSchema("a")).gives(413),
			},
		},
		{
			name: "bodies just below limits", proves: []string{"valid.too-large", "valid.invalid"},
			steps: []step{
				post(all, having(level("a", 1), "metadata.annotations", map[string]any{"x": near})), put(all+"/a", having(level("a", 1), "metadata.annotations", map[string]any{"x": near, "y": near})).gives(422).writesNothing(),
				remove(all+"/a", ""), post(all, level("a", 1)+strings.Repeat(" ", 2<<20)),
			},
		},
		{
			name: "deep bodies", proves: []string{"valid.wild"},
			steps: []step{
				put(one, nested(9_000)).gives(400), put(one, nested(11_000)).gives(400), put(one, strings.Repeat("[", 1_000_000)).gives(400), patch("merge", one, nested(900)), patch("merge", one, nested(11_000)).gives(400),
				patch("strategic-merge", one, nested(9_000)), patch("strategic-merge", one, nested(11_000)).gives(400), patch("json", one, strings.Repeat("[", 100_000)).gives(400),
				patch("json", one, `[{"op":"add","path":"/spec/x","value":`+nested(9_000)+`}]`), patch("apply", one+"?fieldManager=m", nested(9_000)).gives(400), patch("apply", one+"?fieldManager=m", nested(11_000)).gives(400),
				post(all, having(level("a", 1), "spec", nil)).gives(422), post(all, strings.Replace(level("a", 1), `"spec":{`, `"spec":{"x":`+nested(5_000)+`,`, 1)), get(all + "/a").without("x"),
			},
		},
	}
}
