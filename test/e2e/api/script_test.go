package api

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

//go:embed testdata/*.txt
var scripts embed.FS

// scripted returns the theme of a script in testdata. A case begins with "== NAME", and a line is a step:
//
//	METHOD PATH [BODY] [| EXPECTATION; ...]
//
// METHOD is GET, POST, PUT, DELETE, or the type of a patch: JSON, MERGE, STRATEGIC-MERGE, APPLY. WATCH
// NAME PATH opens a watch, and READ NAME N reads its next N events. PATH is below the group's v1, where
// "levels" is short for prioritylevelconfigurations; "v1beta3:" begins one below v1beta3. BODY is JSON, or
// an object of objects_test.go: "level NAME SHARES" or "flowSchema NAME", then PLACE=JSON for each
// field that differs, null for one that is left out; "v1beta3" before it converts it. <a*9> is nine times a.
//
// Without a code, a POST is expected to be 201 and other requests 200. "says TEXT" and "lacks TEXT" are of
// this server's body, "keep NAME PLACE" stores a value for later lines, which name it <NAME>, "accept TYPE"
// sets the header, and "writes nothing" is of etcd. Whatever a line does not say is compared.
func scripted(name string) theme {
	script, err := scripts.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return theme{name, parseScript(string(script))}
}

// parseScript returns the cases of a script.
func parseScript(script string) (cases []testCase) {
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if name, isCase := strings.CutPrefix(line, "== "); isCase {
			cases = append(cases, testCase{name: name})
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := &cases[len(cases)-1]
		if reason, isAlone := strings.CutPrefix(line, "alone: "); isAlone {
			c.alone = reason
			continue
		}
		switch line {
		case "beside v1beta3":
			c.beta = true
		case "in v1 only":
			c.v1Only = true
		default:
			c.steps = append(c.steps, parseStep(line))
		}
	}
	return cases
}

// parseStep returns the step of a line.
func parseStep(line string) (s step) {
	line = regexp.MustCompile(`<(.)\*(\d+)>`).ReplaceAllStringFunc(line, func(repeated string) string {
		n, _ := strconv.Atoi(repeated[3 : len(repeated)-1])
		return strings.Repeat(repeated[1:2], n)
	})
	request, expectations, _ := strings.Cut(line, " | ")
	verb, rest, _ := strings.Cut(request, " ")
	first, rest, _ := strings.Cut(rest, " ")
	switch path := pathOf(first); verb {
	case "READ":
		events, _ := strconv.Atoi(rest)
		s = read(first, events)
	case "WATCH":
		s = open(first, pathOf(rest))
	case "POST":
		s = post(path, objectOf(rest))
	case "GET", "PUT", "DELETE":
		s = ask(verb, path, objectOf(rest))
	default:
		s = patch(strings.ToLower(verb), path, objectOf(rest))
	}
	for expectation := range strings.SplitSeq(expectations, "; ") {
		s = s.expecting(expectation)
	}
	return s
}

// expecting adds what a line says about the answer.
func (s step) expecting(expectation string) step {
	if code, err := strconv.Atoi(expectation); err == nil {
		return s.gives(code)
	}
	switch what, value, _ := strings.Cut(expectation, " "); what {
	case "accept":
		return s.with("Accept", value)
	case "says":
		return s.saying(value)
	case "lacks":
		return s.without(value)
	case "keep":
		name, place, _ := strings.Cut(value, " ")
		return s.keep(name, place)
	case "writes":
		return s.writesNothing()
	case "":
		return s
	default:
		panic("what to expect: " + expectation)
	}
}

func pathOf(path string) string {
	path = strings.Replace(path, "levels", "prioritylevelconfigurations", 1)
	if beta, ok := strings.CutPrefix(path, "v1beta3:"); ok {
		return v1beta3Path + beta
	}
	return path
}

// objectOf returns the body of a request.
func objectOf(text string) string {
	if beta, ok := strings.CutPrefix(text, "v1beta3 "); ok {
		return inBeta(objectOf(beta))
	}
	kind, rest, _ := strings.Cut(text, " ")
	if kind != "level" && kind != "flowSchema" {
		return text
	}
	name, rest, _ := strings.Cut(rest, " ")
	name = strings.Trim(name, `"`)
	object := flowSchema(name)
	if kind == "level" {
		var shares string
		shares, rest, _ = strings.Cut(rest, " ")
		n, err := strconv.Atoi(shares)
		if err != nil {
			panic(fmt.Sprintf("%s: the shares of a level must be a number: %v", text, err))
		}
		object = level(name, n)
	}
	for rest != "" {
		place, value, _ := strings.Cut(rest, "=")
		decoder := json.NewDecoder(strings.NewReader(value))
		var set any
		if err := decoder.Decode(&set); err != nil {
			panic(fmt.Sprintf("%s: %v", text, err))
		}
		object = having(object, place, set)
		rest = strings.TrimSpace(value[decoder.InputOffset():])
	}
	return object
}
