package source

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

// client reads from one API server.
type client struct {
	// name is the URL of the server.
	name string
	rest rest.Interface
}

// requestTimeout limits each request.
const requestTimeout = 10 * time.Second

// newClient returns a client of the server of the configuration.
func newClient(config *rest.Config) (*client, error) {
	config = rest.CopyConfig(config)
	config.NegotiatedSerializer = serializer.NewCodecFactory(install.NewScheme()).WithoutConversion()
	config.QPS, config.Burst = 50, 100
	// Warnings about deprecated versions are no concern of a reader.
	config.WarningHandler = rest.NoWarnings{}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, sentence("The URL of a server is invalid: %s.", oneSentence(err))
	}
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, sentence("The kubeconfig is invalid: %s.", oneSentence(err))
	}
	transport.CheckRedirect = sameServer
	restClient, err := rest.UnversionedRESTClientForConfigAndClient(config, transport)
	if err != nil {
		return nil, sentence("The kubeconfig is invalid: %s.", oneSentence(err))
	}
	return &client{name: strings.TrimSuffix(base.String(), "/"), rest: restClient}, nil
}

// maxRedirects is how often a server may redirect a request, as in net/http.
const maxRedirects = 10

// sameServer returns an error for a redirect to another server: client-go would send the credentials
// there too.
func sameServer(request *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case request.URL.Scheme != first.Scheme || request.URL.Host != first.Host:
		return fmt.Errorf("it redirects to %s://%s, which gets no credentials: name that server if you trust it", request.URL.Scheme, request.URL.Host)
	case len(via) >= maxRedirects:
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	default:
		return nil
	}
}

// get returns the response of a path, which may have a query.
func (c *client) get(ctx context.Context, path, accept string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	body, err := c.open(ctx, path, accept)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	return io.ReadAll(body)
}

// open returns the response of a path, which may have a query, as a stream.
func (c *client) open(ctx context.Context, path, accept string) (io.ReadCloser, error) {
	path, query, _ := strings.Cut(path, "?")
	request := c.rest.Get().AbsPath(path).SetHeader("Accept", accept).MaxRetries(2)
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	for name := range values {
		request.Param(name, values.Get(name))
	}
	return request.Stream(ctx)
}

// getJSON decodes the response of a path.
func (c *client) getJSON(ctx context.Context, path string, into any) error {
	body, err := c.get(ctx, path, "application/json")
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// list returns the pages of a list, each a complete list in JSON. If the pages expire
// while they are read, it returns the list in one page.
func (c *client) list(ctx context.Context, path, accept string, options metav1.ListOptions) (pages [][]byte, err error) {
	read := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		if options.Continue == "" {
			pages = nil // those before have expired
		}
		query, err := metav1.ParameterCodec.EncodeParameters(&options, metav1.SchemeGroupVersion)
		if err != nil {
			return nil, err
		}
		page, err := c.get(ctx, path+"?"+query.Encode(), accept)
		if err != nil {
			return nil, err
		}
		pages = append(pages, page)
		list := &metav1.PartialObjectMetadataList{}
		return list, json.Unmarshal(page, list)
	}
	_, _, err = pager.New(read).List(ctx, options)
	return pages, err
}

// listOf returns the pages of a list, whose type is L.
func listOf[L any](ctx context.Context, c *client, path string, options metav1.ListOptions) ([]L, error) {
	accept := "application/json"
	if _, isPartial := any(*new(L)).(metav1.PartialObjectMetadataList); isPartial {
		accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	}
	raw, err := c.list(ctx, path, accept, options)
	pages := make([]L, len(raw))
	for i := range raw {
		if err == nil {
			err = json.Unmarshal(raw[i], &pages[i])
		}
	}
	return pages, err
}
