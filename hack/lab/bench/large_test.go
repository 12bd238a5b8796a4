package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

func TestContinueTokenIsFoundInEveryForm(t *testing.T) {
	want := metav1.ListMeta{ResourceVersion: "12", Continue: "eyJ", RemainingItemCount: new(int64(7))}
	list := &flowcontrolv1.FlowSchemaList{ListMeta: want, Items: []flowcontrolv1.FlowSchema{{}}}
	for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), mediaType)
		require.True(t, ok)
		content, err := runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, flowcontrolv1.SchemeGroupVersion), list)
		require.NoError(t, err)
		got, err := listMeta(content)
		require.NoError(t, err)
		assert.Equal(t, want, got, mediaType)
	}
	table, err := listMeta([]byte(`{"kind":"Table","metadata":{"resourceVersion":"12","continue":"eyJ","remainingItemCount":7},"rows":[]}`))
	require.NoError(t, err)
	assert.Equal(t, want, table)
	_, err = listMeta([]byte("neither"))
	require.Error(t, err)
}

func TestPartIsChosenByItsName(t *testing.T) {
	for name, want := range map[string]struct {
		sections, parts int
		partial         bool
	}{"": {5, 0, false}, "server": {1, 4, false}, "memory": {1, 1, true}, "large": {1, 1, false}, "limiter": {1, 0, false}} {
		chosen, err := choose(name)
		require.NoError(t, err)
		require.Len(t, chosen, want.sections, name)
		assert.Len(t, chosen[0].parts, want.parts, name)
		assert.Equal(t, want.partial, chosen[0].partial, name)
	}
	_, err := choose("small")
	require.ErrorContains(t, err, `"small"; it must be one of engine, server, start, memory, load, certificates, large, inside, limiter`)
}
