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

// largeQueries sends options and names that are as large or as strange as they can be.
func largeQueries(ctx context.Context, s *Server, size Size, tally *Tally) error {
	many := func(format string, count int) string {
		var all []string
		for i := range count {
			all = append(all, fmt.Sprintf(format, i))
		}
		return strings.Join(all, ",")
	}
	token := func(content string) string { return base64.RawURLEncoding.EncodeToString([]byte(content)) }
	large := strings.Repeat("x", 300<<10)
	paths := []string{
		schemas + "?labelSelector=" + many("k%d%%21=v", 20_000), schemas + "?labelSelector=k+in+(" + many("v%d", 40_000) + ")",
		schemas + "?labelSelector=" + strings.Repeat("%21", 50_000), schemas + "?fieldSelector=" + many("metadata.name%%21=n%d", 10_000),
		schemas + "?limit=1&continue=" + large, schemas + "?limit=1&continue=" + token(`{"v":"meta.k8s.io/v1","rv":1,"start":"`+large+`"}`),
		schemas + "?limit=1&continue=" + token(`{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"../../x"}`),
		schemas + "?limit=1&continue=" + token(strings.Repeat("[", 100_000)), schemas + "?limit=-9223372036854775808",
		schemas + "?limit=9223372036854775807&resourceVersionMatch=" + large, schemas + "?timeoutSeconds=9223372036854775807&timeout=1h",
		schemas + "?fieldManager=" + large, schemas + "/" + large, schemas + "/..%2f..%2f" + strings.Repeat("..%2f", 10_000),
		schemas + "?" + strings.Repeat("a=b&", 60_000), schemas + "?" + strings.Repeat("labelSelector=a&", 10_000),
	}
	return s.askAll(ctx, size, tally, func(i int) message {
		return message{method: http.MethodGet, path: paths[i%len(paths)], token: writer}
	})
}

// largeHeaders sends more and longer headers than a server reads.
func largeHeaders(ctx context.Context, s *Server, size Size, tally *Tally) error {
	tooLong := map[string]string{"X-Long": strings.Repeat("x", 2<<20)}
	tooMany := map[string]string{}
	for i := range 20_000 {
		tooMany[fmt.Sprintf("X-Header-%d", i)] = strings.Repeat("x", 100)
	}
	longToken := map[string]string{"Authorization": "Bearer " + strings.Repeat("x", 500<<10)}
	longUser := map[string]string{"Impersonate-User": strings.Repeat("x", 500<<10)}
	clients := []*http.Client{s.client(true), s.client(false)}
	for _, client := range clients {
		defer client.CloseIdleConnections()
	}
	inParallel(ctx, workers, size.Count, func(i int) {
		headers := []map[string]string{tooLong, tooMany, longToken, longUser, {"Cookie": strings.Repeat("a=b; ", 100_000)}}[i%5]
		tally.addStatus(s.send(ctx, clients[i%2], message{method: http.MethodGet, path: schemas, headers: headers}))
	})
	return nil
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
