package filters

import (
	"context"
	"net/http"

	"k8s.io/apiserver/pkg/endpoints/responsewriter"
)

// clientKey is the context key of the context of the connection and its deadline.
type clientKey struct{}

// withoutClient returns a context that ends at the deadline of ctx, and not when the client
// leaves: handlers of k8s.io/apiserver, which take one for the other, would count a 504, log
// it, and go on working where nothing counts them. cancel frees it.
func withoutClient(ctx context.Context) (_ context.Context, cancel context.CancelFunc) {
	kept := context.WithValue(context.WithoutCancel(ctx), clientKey{}, ctx)
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(kept, deadline)
	}
	return kept, func() {}
}

// WithClient returns a context that ends when the client leaves, too: for what waits. It is
// ctx for work that has no client.
func WithClient(ctx context.Context) context.Context {
	client, ok := ctx.Value(clientKey{}).(context.Context)
	if !ok {
		return ctx
	}
	return joined{Context: client, values: ctx}
}

// joined has the end of one context and the values of another.
type joined struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (j joined) Value(key any) any { return j.values.Value(key) }

// AfterFunc saves package context a goroutine for each context that is made from this one.
func (j joined) AfterFunc(do func()) (stop func() bool) { return context.AfterFunc(j.Context, do) }

// WaitingForClient returns a filter that waits no longer than its client. What it is in
// front of goes on without the client, as what is in front of it.
func WaitingForClient(filter func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	return func(handler http.Handler) http.Handler {
		filtered := filter(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if waiting, ok := r.Context().Value(waitingKey{}).(context.Context); ok {
				r = r.WithContext(joined{Context: waiting, values: r.Context()})
			}
			handler.ServeHTTP(w, r)
		}))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx := r.Context()
			if client := WithClient(ctx); client != ctx {
				r = r.WithContext(context.WithValue(client, waitingKey{}, ctx))
			}
			filtered.ServeHTTP(w, r)
		})
	}
}

// waitingKey is the context key of the context before WaitingForClient.
type waitingKey struct{}

// answer is the answer to a client that may leave. Writing it never fails: nobody is there
// to be told, and handlers of k8s.io/apiserver would log it and count a 500.
type answer struct {
	http.ResponseWriter
	left context.CancelFunc
}

var _ responsewriter.UserProvidedDecorator = (*answer)(nil)

// Unwrap implements responsewriter.UserProvidedDecorator.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Write implements http.ResponseWriter.
func (a *answer) Write(content []byte) (int, error) {
	if _, err := a.ResponseWriter.Write(content); err != nil {
		a.left()
	}
	return len(content), nil
}

// withAnswer gives a handler an answer whose writing never fails. The context of its request
// ends when that would have failed, as watches need it.
func withAnswer(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		handler.ServeHTTP(responsewriter.WrapForHTTP1Or2(&answer{w, cancel}), r.WithContext(ctx))
	})
}
