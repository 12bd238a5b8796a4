package hostile

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
)

// askAll sends requests from a list, one after the other, until there were as many as
// asked for.
func (s *Server) askAll(ctx context.Context, size Size, tally *Tally, message func(i int) message) error {
	client := s.client(false)
	defer client.CloseIdleConnections()
	inParallel(ctx, workers, size.Count, func(i int) {
		tally.addStatus(s.send(ctx, client, message(i)))
	})
	return nil
}

// manyUsers sends requests of users, each another one, who have no permission.
func manyUsers(ctx context.Context, s *Server, size Size, tally *Tally) error {
	return s.askAll(ctx, size, tally, func(i int) message {
		return message{method: http.MethodGet, path: schemas, token: proxy, headers: map[string]string{"Impersonate-User": fmt.Sprintf("user-%d", i)}}
	})
}

// randomPaths sends anonymous requests of paths, each another one.
func randomPaths(ctx context.Context, s *Server, size Size, tally *Tally) error {
	return s.askAll(ctx, size, tally, func(i int) message {
		return message{method: http.MethodGet, path: fmt.Sprintf("/path-%d", i)}
	})
}

// randomTokens sends requests with tokens, each another one.
func randomTokens(ctx context.Context, s *Server, size Size, tally *Tally) error {
	return s.askAll(ctx, size, tally, func(i int) message {
		return message{method: http.MethodGet, path: schemas, token: fmt.Sprintf("token-%d", i)}
	})
}

// aliases sends YAML aliases of a text, also beside a key that is there twice, with a tag, and as a patch.
// No object may have the name.
func aliases(ctx context.Context, s *Server, size Size, tally *Tally) error {
	const name = "Hostile_Object"
	named := strings.Repeat("x", 30<<10)
	beginnings := []string{"a: &a " + named + "\n", "a: &a " + named + "\na: 1\n", "a: &a !!binary " + named + "\n", "a: &a " + named + "\n"}
	list := "b: [" + strings.Repeat("*a, ", 5000) + "*a]\n"
	return s.askAll(ctx, size, tally, func(i int) message {
		body := "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: " + name + "}\n" + beginnings[i%len(beginnings)] + list
		m := message{method: http.MethodPost, path: schemas, token: writer, headers: map[string]string{"Content-Type": "application/yaml"}, body: strings.NewReader(body)}
		if i%len(beginnings) == len(beginnings)-1 {
			m.method, m.path, m.headers = http.MethodPatch, schemas+"/"+name+"?fieldManager=x", map[string]string{"Content-Type": "application/apply-patch+yaml"}
		}
		return m
	})
}

// forgedIdentities claims to be an administrator in every way that a header can.
func forgedIdentities(ctx context.Context, s *Server, size Size, tally *Tally) error {
	unsigned := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." +
		base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"admin","groups":["system:masters"]}`)) + "."
	webSocket := map[string]string{"Connection": "Upgrade", "Upgrade": "websocket",
		"Sec-WebSocket-Protocol": "base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte("admin")) + ", v4.channel.k8s.io"}
	masters := map[string]string{"Impersonate-User": "admin", "Impersonate-Group": "system:masters"}
	forged := []message{
		{headers: map[string]string{"X-Remote-User": "admin", "X-Remote-Group": "system:masters"}},
		{headers: map[string]string{"X-Remote-User": "admin", "X-Remote-Group": "system:masters"}, token: stranger},
		{headers: map[string]string{"X-Forwarded-User": "admin", "X-Remote-Extra-Scopes": "all"}},
		{headers: masters}, {headers: masters, token: stranger}, {headers: masters, token: mouse}, {headers: masters, token: proxy},
		{headers: map[string]string{"Impersonate-User": "system:serviceaccount:kube-system:admin"}, token: mouse},
		{headers: map[string]string{"Impersonate-User": "admin", "Impersonate-Uid": "1"}, token: proxy},
		{headers: map[string]string{"Impersonate-User": "admin", "Impersonate-Extra-Scopes": "all"}, token: proxy},
		{headers: map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("admin:admin"))}},
		{token: "admin"}, {token: "system:masters"}, {token: unsigned}, {headers: webSocket}, {token: admin + "x"}, {token: strings.ToUpper(admin)},
	}
	client := s.client(true) // HTTP/2 has no upgrades to WebSocket
	defer client.CloseIdleConnections()
	inParallel(ctx, workers, size.Count, func(i int) {
		m := forged[i%len(forged)]
		m.method, m.path = http.MethodGet, levels // only the administrator may read it
		tally.addStatus(s.send(ctx, client, m))
	})
	return nil
}
