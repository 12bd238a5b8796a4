package flowcontrol

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// named returns a schema whose subject is a user that no other schema names.
func named(name string, version int) *flowcontrolv1.FlowSchema {
	schema := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: strconv.Itoa(version)}}
	schema.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{{Subjects: []flowcontrolv1.Subject{
		{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "user of " + name}},
	}}}
	return schema
}

// newCache returns a cache of schemas, whose informer has listed.
func newCache(schemas ...*flowcontrolv1.FlowSchema) *schemaCache {
	c := &schemaCache{changed: make(chan struct{}), synced: func() bool { return true }}
	for _, schema := range schemas {
		c.OnAdd(schema, true)
	}
	return c
}

// requireAt requires these schemas at a version, each as its name and its
// version.
func requireAt(t *testing.T, c *schemaCache, version uint64, want ...string) {
	t.Helper()
	schemas, err := c.list(t.Context(), version, lint.AllUsers)
	require.NoError(t, err)
	got := []string{}
	for _, schema := range schemas {
		got = append(got, schema.Name+schema.ResourceVersion)
	}
	require.Equal(t, want, got)
}

func TestCacheFollowsItsInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(named("b", 4), named("a", 5))
		requireAt(t, c, 5, "a5", "b4")
		c.OnAdd(named("ab", 6), false)
		requireAt(t, c, 6, "a5", "ab6", "b4")
		c.OnUpdate(nil, named("b", 8))
		requireAt(t, c, 8, "a5", "ab6", "b8")
		c.OnDelete(named("a", 9))
		requireAt(t, c, 9, "ab6", "b8")
		c.OnDelete(cache.DeletedFinalStateUnknown{Key: "ab", Obj: named("ab", 6)})
		requireAt(t, c, 9, "b8")
	})
}

func TestReadWaitsForTheFirstList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache()
		var synced atomic.Bool
		c.synced = synced.Load
		_, err := c.list(t.Context(), 0, lint.AllUsers)
		require.ErrorContains(t, err, "FlowSchemas did not reach resource version 0 within 3s")

		read := make(chan []*lint.Compared, 1)
		go func() {
			schemas, _ := c.list(t.Context(), 0, lint.AllUsers)
			read <- schemas
		}()
		c.OnAdd(named("a", 5), true)
		synctest.Wait()
		require.Empty(t, read)
		synced.Store(true)
		require.Len(t, <-read, 1)
	})
}

func TestReadWaitsForItsResourceVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(named("b", 4), named("a", 5))
		_, err := c.list(t.Context(), 6, lint.AllUsers)
		require.ErrorContains(t, err, "FlowSchemas did not reach resource version 6 within 3s")

		var read []*lint.Compared
		go func() { read, _ = c.list(t.Context(), 7, lint.AllUsers) }()
		synctest.Wait()
		c.OnAdd(named("c", 6), false)
		synctest.Wait()
		require.Nil(t, read, "at version 6")
		c.OnAdd(named("d", 7), false)
		synctest.Wait()
		require.Len(t, read, 4)
	})
}

func TestReadEndsWithItsRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newCache().list(ctx, 1, lint.AllUsers)
	require.ErrorIs(t, err, context.Canceled)
}

func TestReadSchemasDoNotChangeLater(t *testing.T) {
	c := newCache(named("b", 4), named("a", 5))
	before, err := c.list(t.Context(), 0, lint.AllUsers)
	require.NoError(t, err)
	c.OnDelete(named("a", 6))
	c.OnUpdate(nil, named("b", 7))
	requireAt(t, c, 0, "b7")
	require.Equal(t, "a", before[0].Name)
	require.Equal(t, "4", before[1].ResourceVersion)
}

func TestReadReturnsSchemasOfTheUsers(t *testing.T) {
	c := newCache(named("b", 4), named("a", 5))
	for _, name := range []string{"a", "b"} {
		found, err := c.list(t.Context(), 0, lint.MaskOf(named(name, 0)))
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Equal(t, name, found[0].Name)
	}
	moved := named("a", 6)
	moved.Spec.Rules = named("b", 0).Spec.Rules
	c.OnUpdate(nil, moved)
	found, err := c.list(t.Context(), 0, lint.MaskOf(moved))
	require.NoError(t, err)
	require.Len(t, found, 2, "the mask follows changes of the subjects")
	found, err = c.list(t.Context(), 0, 0)
	require.NoError(t, err)
	require.Empty(t, found, "an empty mask intersects none")
}

// TestEachVersionIsPreparedOnce: preparing all stored schemas for each write would take longer than
// the write.
func TestEachVersionIsPreparedOnce(t *testing.T) {
	c := newCache(named("a", 5), named("b", 6))
	read := func() []*lint.Compared {
		schemas, err := c.list(t.Context(), 0, lint.AllUsers)
		require.NoError(t, err)
		return schemas
	}
	before := read()
	require.Same(t, before[0], read()[0])
	c.OnUpdate(nil, named("a", 7))
	require.NotSame(t, before[0], read()[0], "another version has other rules")
	require.Same(t, before[1], read()[1])
}
