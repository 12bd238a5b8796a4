package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

const (
	listsInRound = 3
	chunk        = 500
)

// form is a representation of a list, selected by an Accept header.
type form struct{ name, accept string }

// get asks for FlowSchemas in this form, without compression, which net/http requests by default.
func (f form) get(query string) traffic.Request {
	return traffic.Request{Path: collection + query, Header: map[string]string{"Accept": f.accept, "Accept-Encoding": "identity"}}
}

func forms() []form {
	return []form{
		{"JSON", runtime.ContentTypeJSON},
		{"protobuf", runtime.ContentTypeProtobuf},
		{"Table", "application/json;as=Table;v=v1;g=meta.k8s.io"},
	}
}

func listTasks() (tasks []task) {
	for _, form := range forms() {
		for _, kind := range []struct{ name, query string }{
			{"from cache", "resourceVersion=0"},
			{"most recent", ""},
		} {
			tasks = append(tasks, task{
				name: fmt.Sprintf("list, %s, %s", form.name, kind.name), count: listsInRound,
				do: func(ctx context.Context, c *client, _ int) (float64, error) { return c.list(ctx, form, kind.query) },
			})
		}
		tasks = append(tasks, exactTask(form))
	}
	return tasks
}

// exactTask lists at the resource version of the preceding list.
func exactTask(form form) task {
	return task{
		name: fmt.Sprintf("list, %s, exact", form.name), count: listsInRound,
		do: func(ctx context.Context, c *client, _ int) (float64, error) {
			page, err := c.page(ctx, forms()[0], "limit=1")
			if err != nil {
				return 0, err
			}
			return c.list(ctx, form, "resourceVersionMatch=Exact&resourceVersion="+page.ResourceVersion)
		},
	}
}

func chunkTasks() (tasks []task) {
	for _, form := range forms() {
		tasks = append(tasks, task{
			name: fmt.Sprintf("list, %s, in chunks", form.name), count: listsInRound,
			do: func(ctx context.Context, c *client, _ int) (float64, error) { return c.listInChunks(ctx, form) },
		})
	}
	return tasks
}

// list returns the seconds of one list.
func (c *client) list(ctx context.Context, form form, query string) (float64, error) {
	begin := time.Now()
	err := c.drain(ctx, form.get("?"+query))
	return time.Since(begin).Seconds(), err
}

// listInChunks returns the server's seconds for all chunks.
func (c *client) listInChunks(ctx context.Context, form form) (took float64, err error) {
	next := ""
	for {
		page, err := c.page(ctx, form, fmt.Sprintf("limit=%d&continue=%s", chunk, url.QueryEscape(next)))
		if err != nil {
			return 0, err
		}
		took += page.took
		if next = page.Continue; next == "" {
			return took, nil
		}
	}
}

// page is the metadata of a list and the seconds that the list took.
type page struct {
	metav1.ListMeta
	took float64
}

func (c *client) page(ctx context.Context, form form, query string) (page, error) {
	begin := time.Now()
	response, err := c.send(ctx, form.get("?"+query))
	if err != nil {
		return page{}, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return page{}, err
	}
	took := time.Since(begin).Seconds() // the decoding below is the client's work
	meta, err := listMeta(content)
	return page{meta, took}, err
}

// listMeta reads the metadata of a list in any of the forms.
func listMeta(content []byte) (metav1.ListMeta, error) {
	if bytes.HasPrefix(content, []byte("k8s\x00")) {
		list, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), content)
		if err != nil {
			return metav1.ListMeta{}, fmt.Errorf("reading a list: %w", err)
		}
		schemas, ok := list.(*flowcontrolv1.FlowSchemaList)
		if !ok {
			return metav1.ListMeta{}, fmt.Errorf("the answer to a list of FlowSchemas is a %T", list)
		}
		return schemas.ListMeta, nil
	}
	var list struct {
		Metadata metav1.ListMeta `json:"metadata"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return metav1.ListMeta{}, fmt.Errorf("reading a list: %w", err)
	}
	return list.Metadata, nil
}
