package hostile

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"strings"
)

const (
	asJSON     = "application/json"
	asYAML     = "application/yaml"
	asPatch    = "application/json-patch+json"
	asMerge    = "application/merge-patch+json"
	asApply    = "application/apply-patch+yaml"
	asProtobuf = "application/vnd.kubernetes.protobuf"
)

// invalidName is the name of hostile objects: no object may have it.
const invalidName = "Hostile_Object"

// payload is a body of the client that may write.
type payload struct {
	method, path, contentType, encoding string
	body                                []byte
}

func create(contentType, body string) payload {
	return payload{method: http.MethodPost, path: schemas, contentType: contentType, body: []byte(body)}
}

// sendAll sends payloads, one kind after the other, until there were as many as asked for.
func (s *Server) sendAll(ctx context.Context, size Size, tally *Tally, payloads []payload) error {
	client := s.client(false)
	defer client.CloseIdleConnections()
	inParallel(ctx, workers, size.Count, func(i int) {
		p := payloads[i%len(payloads)]
		headers := map[string]string{"Content-Type": p.contentType}
		if p.encoding != "" {
			headers["Content-Encoding"] = p.encoding
		}
		tally.addStatus(s.send(ctx, client, message{method: p.method, path: p.path, token: writer, headers: headers, body: bytes.NewReader(p.body)}))
	})
	return nil
}

// object returns a FlowSchema that no server stores, as JSON, with further fields.
func object(further string) string {
	return `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"` + invalidName + `"}` + further + `}`
}

// yamlObject is object as YAML.
func yamlObject(further string) string {
	return "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: " + invalidName + "}\n" + further
}

func largeBodies(ctx context.Context, s *Server, size Size, tally *Tally) error {
	text := strings.Repeat("x", 4<<20)
	return s.sendAll(ctx, size, tally, []payload{
		create(asJSON, object(`,"x":"`+text+`"`)), create(asYAML, yamlObject("x: "+text)), create(asProtobuf, "k8s\x00"+text),
		{method: http.MethodPatch, path: schemas + "/catch-all", contentType: asMerge, body: []byte(`{"x":"` + text + `"}`)},
	})
}

func deepBodies(ctx context.Context, s *Server, size Size, tally *Tally) error {
	const depth = 100_000
	opened, ended := strings.Repeat("[", depth), strings.Repeat("]", depth)
	objects, objectsEnd := strings.Repeat(`{"a":`, depth), "1"+strings.Repeat("}", depth)
	return s.sendAll(ctx, size, tally, []payload{
		create(asJSON, object(`,"x":`+opened+ended)), create(asJSON, opened), create(asYAML, yamlObject("x: "+opened+ended)),
		create(asYAML, objects+objectsEnd), create(asYAML, yamlObject("x: "+strings.Repeat("- ", depth)+"1")),
		{method: http.MethodPatch, path: schemas + "/catch-all", contentType: asMerge, body: []byte(objects + objectsEnd)},
		{method: http.MethodPatch, path: schemas + "/catch-all?fieldManager=x", contentType: asApply, body: []byte(objects + objectsEnd)},
	})
}

// aliases sends aliases of a text, also beside a key that is there twice, and with a tag.
func aliases(ctx context.Context, s *Server, size Size, tally *Tally) error {
	named := strings.Repeat("x", 30<<10)
	list := "b: [" + strings.Repeat("*a, ", 5000) + "*a]\n"
	return s.sendAll(ctx, size, tally, []payload{
		create(asYAML, yamlObject("a: &a "+named+"\n"+list)), create(asYAML, yamlObject("a: &a "+named+"\na: 1\n"+list)),
		create(asYAML, yamlObject("a: &a !!binary "+named+"\n"+list)),
		{method: http.MethodPatch, path: schemas + "/" + invalidName + "?fieldManager=x", contentType: asApply, body: []byte(yamlObject("a: &a " + named + "\n" + list))},
	})
}

func strangeValues(ctx context.Context, s *Server, size Size, tally *Tally) error {
	digits := strings.Repeat("9", 1<<20)
	precedence := func(number string) string { return `,"spec":{"matchingPrecedence":` + number + `}` }
	return s.sendAll(ctx, size, tally, []payload{
		create(asJSON, object(strings.Repeat(`,"a":1`, 100_000))), create(asYAML, yamlObject(strings.Repeat("a: 1\n", 100_000))),
		create(asJSON, object(precedence("1e400"))), create(asJSON, object(precedence(digits))), create(asJSON, object(precedence("-"+digits))),
		create(asYAML, yamlObject("spec: {matchingPrecedence: "+digits+"}\n")), create(asJSON, object(precedence("1."+digits))),
		create(asProtobuf, "k8s\x00\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
	})
}

func compressedBodies(ctx context.Context, s *Server, size Size, tally *Tally) error {
	var small bytes.Buffer
	packer := gzip.NewWriter(&small)
	zeros := make([]byte, 1<<20)
	for range 500 { // half a gigabyte
		if _, err := packer.Write(zeros); err != nil {
			return err
		}
	}
	if err := packer.Close(); err != nil {
		return err
	}
	return s.sendAll(ctx, size, tally, []payload{
		{method: http.MethodPost, path: schemas, contentType: asJSON, encoding: "gzip", body: small.Bytes()},
		{method: http.MethodPost, path: schemas, contentType: asYAML, encoding: "gzip", body: small.Bytes()},
	})
}

// copyingPatches doubles an object with each operation.
func copyingPatches(ctx context.Context, s *Server, size Size, tally *Tally) error {
	var operations []string
	for i := range 40 {
		operations = append(operations, fmt.Sprintf(`{"op":"copy","from":"/spec","path":"/spec/x%d"}`, i))
	}
	patch := []byte("[" + strings.Join(operations, ",") + "]")
	return s.sendAll(ctx, size, tally, []payload{{method: http.MethodPatch, path: schemas + "/catch-all", contentType: asPatch, body: patch}})
}
