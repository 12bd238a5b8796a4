package roundtrip

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// sampleCount is the number of generated objects for each server.
func sampleCount() int { return lane.Pick(24, 400) }

// sharedStore is this server and a kube-apiserver on one etcd.
type sharedStore struct {
	ours, theirs client
	etcd         *clientv3.Client
}

// startSharedStore starts both servers without flow control, because the engines
// write conditions asynchronously.
func startSharedStore(t *testing.T) sharedStore {
	t.Helper()
	const still = "--enable-priority-and-fairness=false"
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	theirs := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: etcd, Args: []string{still}})
	ours := harness.StartServer(t, harness.ServerOptions{Etcd: etcd, Args: []string{still, "--etcd-prefix=/registry"}})
	return sharedStore{
		ours: newClient(t, "this server", ours.Config(t)), theirs: newClient(t, "kube-apiserver", theirs.Config(t)),
		etcd: etcd.Client(t),
	}
}

func TestAKubeAPIServerAndThisServerShareOneStore(t *testing.T) {
	seed := lane.Seed(t)
	s := startSharedStore(t)
	start := s.revision(t)
	var written []object
	changes := map[string]int{} // by resource
	for i := range sampleCount() {
		o := generate(seed, i)
		if level, ok := o.(*flowcontrolv1.PriorityLevelConfiguration); ok {
			objects.WithFewQueues(level)
		}
		changes[resource("v1", o)] += s.requireSameBytesOfBoth(t, o, mediaTypes()[i/2%3])
		written = append(written, o)
	}
	for _, o := range written {
		s.requireReadAlike(t, resource("v1", o)+"/"+o.GetName())
	}
	end := s.revision(t)
	for _, o := range []object{&flowcontrolv1.FlowSchema{}, &flowcontrolv1.PriorityLevelConfiguration{}} {
		// At one version, because kube-apiserver keeps writing leases to the same
		// etcd.
		s.requireReadAlike(t, fmt.Sprintf("%s?resourceVersion=%d&resourceVersionMatch=Exact", resource("v1", o), end))
		s.requireWatchedAlike(t, fmt.Sprintf("%s?watch=true&resourceVersion=%d", resource("v1", o), start), changes[resource("v1", o)])
	}
}

// condition is a status patch for either kind.
const condition = `{"status":{"conditions":[{"type":"Dangling","status":"False","lastTransitionTime":"2020-02-02T02:02:02Z","reason":"Found","message":"m"}]}}`

// requireSameBytesOfBoth creates and changes the object and its status through
// each server in turn, and compares the bytes in etcd after each write. It leaves
// the object that this server created and kube-apiserver changed, and returns the
// number of its changes.
func (s sharedStore) requireSameBytesOfBoth(t *testing.T, o object, mediaType string) (changes int) {
	t.Helper()
	path := resource("v1", o)
	body, err := encode(o, mediaType)
	require.NoError(t, err)
	changed := o.DeepCopyObject().(object)
	changed.SetLabels(map[string]string{"changed": "yes"})
	changedBody, err := encode(changed, mediaType)
	require.NoError(t, err)

	bytesOf := map[string][][]byte{}
	for _, writers := range [][2]client{{s.theirs, s.ours}, {s.ours, s.theirs}} {
		created, err := writers[0].must(t.Context(), http.MethodPost, path, mediaType, body)
		require.NoError(t, err)
		updated, err := writers[1].must(t.Context(), http.MethodPut, path+"/"+o.GetName(), mediaType, changedBody)
		require.NoError(t, err)
		code, reported, err := writers[1].patch(t.Context(), path+"/"+o.GetName()+"/status", string(types.MergePatchType), []byte(condition))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, code, "%s", reported)
		bytesOf["create"] = append(bytesOf["create"], s.stored(t, path, created))
		bytesOf["update"] = append(bytesOf["update"], s.stored(t, path, updated))
		bytesOf["status"] = append(bytesOf["status"], s.stored(t, path, reported))
		changes += 3
		if writers[0] == s.theirs {
			changes++
			_, err = writers[0].must(t.Context(), http.MethodDelete, path+"/"+o.GetName(), runtime.ContentTypeJSON, nil)
			require.NoError(t, err)
		}
	}
	for write, both := range bytesOf {
		require.Equal(t, fmt.Sprintf("%q", both[0]), fmt.Sprintf("%q", both[1]), "the stored bytes after %s, kube-apiserver's first", write)
	}
	return changes
}

// stored returns the bytes in etcd of the object in an answer, at the answer's
// version. Identity and times are masked without changing any length.
func (s sharedStore) stored(t *testing.T, path string, answer []byte) []byte {
	t.Helper()
	o, err := decode(answer)
	require.NoError(t, err)
	var revision int64
	_, err = fmt.Sscan(o.GetResourceVersion(), &revision)
	require.NoError(t, err)
	key := "/registry" + path[strings.LastIndex(path, "/"):] + "/" + o.GetName()
	response, err := s.etcd.Get(t.Context(), key, clientv3.WithRev(revision))
	require.NoError(t, err)
	require.Len(t, response.Kvs, 1, key)
	value := bytes.ReplaceAll(response.Kvs[0].Value, []byte(o.GetUID()), bytes.Repeat([]byte("u"), len(o.GetUID())))
	require.True(t, bytes.HasPrefix(value, []byte("k8s\x00")), "%s is not protobuf: %q", key, value)
	times := []int64{o.GetCreationTimestamp().Unix()}
	for _, entry := range o.GetManagedFields() {
		times = append(times, entry.Time.Unix())
	}
	for _, seconds := range times {
		value = bytes.ReplaceAll(value, timestamp(seconds), timestamp(1_600_000_000))
	}
	return value
}

// timestamp returns the protobuf encoding of a time in whole seconds.
func timestamp(seconds int64) []byte {
	return append(binary.AppendUvarint([]byte{0x08}, uint64(seconds)), 0x10, 0x00)
}

func (s sharedStore) revision(t *testing.T) int64 {
	t.Helper()
	response, err := s.etcd.Get(t.Context(), "/registry/flowschemas")
	require.NoError(t, err)
	return response.Header.Revision
}

// requireReadAlike compares reads through both servers in every encoding.
func (s sharedStore) requireReadAlike(t *testing.T, path string) {
	t.Helper()
	for _, mediaType := range mediaTypes() {
		want, err := s.theirs.must(t.Context(), http.MethodGet, path, mediaType, nil)
		require.NoError(t, err)
		got, err := s.ours.must(t.Context(), http.MethodGet, path, mediaType, nil)
		require.NoError(t, err)
		require.NotEmpty(t, want, path)
		require.Equal(t, fmt.Sprintf("%q", want), fmt.Sprintf("%q", got), "%s in %s", path, mediaType)
	}
}

// requireWatchedAlike compares a number of watch events of both servers.
func (s sharedStore) requireWatchedAlike(t *testing.T, path string, events int) {
	t.Helper()
	require.Positive(t, events)
	for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		want, got := s.theirs.watch(t, path, mediaType, events), s.ours.watch(t, path, mediaType, events)
		require.Equal(t, fmt.Sprintf("%q", want), fmt.Sprintf("%q", got), "%s in %s", path, mediaType)
	}
}

// watch returns the bytes of a number of events: lines of JSON, or length-prefixed
// frames of protobuf.
func (c client) watch(t *testing.T, path, mediaType string, events int) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
	require.NoError(t, err)
	request.Header.Set("Accept", mediaType)
	response, err := c.http.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	var told []byte
	for body := bufio.NewReader(response.Body); events > 0; events-- {
		var event []byte
		if mediaType == runtime.ContentTypeJSON {
			event, err = body.ReadBytes('\n')
		} else if event, err = body.Peek(4); err == nil {
			event = make([]byte, 4+binary.BigEndian.Uint32(event))
			_, err = io.ReadFull(body, event)
		}
		require.NoError(t, err, "%s, after %q", c.name, told)
		told = append(told, event...)
	}
	return told
}
