package fuzzparity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// peer is one of the two servers.
type peer struct {
	url    string
	client *http.Client
	// targets are the objects for updates, by kind and name.
	targets map[string]map[string]identity
}

// pair is this server and kube-apiserver.
type pair struct{ ours, theirs *peer }

// startPair starts both servers, each on a separate etcd, with the same objects.
// Flow control is disabled, because its engines write conditions asynchronously.
func startPair(t *testing.T) pair {
	t.Helper()
	kube, own := harness.StartEtcd(t, harness.EtcdOptions{}), harness.StartEtcd(t, harness.EtcdOptions{})
	const still = "--enable-priority-and-fairness=false"
	theirs := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: kube, Args: []string{still}})
	// Some messages contain the key of an object.
	ours := harness.StartServer(t, harness.ServerOptions{Etcd: own, Args: []string{still, "--etcd-prefix=/registry"}})
	return pair{ours: newPeer(t, ours.Config(t)), theirs: newPeer(t, theirs.Config(t))}
}

func newPeer(t *testing.T, config *rest.Config) *peer {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	p := &peer{url: config.Host, client: client}
	for _, target := range []struct{ kind, text string }{{kindLevel, targetLevel}, {kindSchema, targetSchema}} {
		got, err := p.send(t.Context(), http.MethodPost, resourcePath(versionNew, target.kind), "application/json", []byte(target.text))
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, got.code, "%s", got.body)
	}
	got, err := p.send(t.Context(), http.MethodPatch, resourcePath(versionNew, kindSchema)+"/target/status", string(types.MergePatchType), []byte(targetStatus))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.code, "%s", got.body)
	p.remember(t)
	return p
}

const (
	targetSchema = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"target","labels":{"app":"web"}},
		"spec":{"priorityLevelConfiguration":{"name":"target"},"rules":[]}}`
	targetStatus = `{"status":{"conditions":[{"type":"Dangling","status":"False","lastTransitionTime":"2020-02-02T02:02:02Z","reason":"Found","message":"m"}]}}`
	targetLevel  = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":"target","annotations":{"note":"x"}},
		"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":0,"limitResponse":{"type":"Reject"}}}}`
)

// remember reads the targets of updates. No attempt changes them.
func (p *peer) remember(t *testing.T) {
	t.Helper()
	p.targets = map[string]map[string]identity{kindSchema: {}, kindLevel: {}}
	for kind, targets := range p.targets {
		got, err := p.send(t.Context(), http.MethodGet, resourcePath(versionNew, kind), "", nil)
		require.NoError(t, err)
		var list metav1.PartialObjectMetadataList
		require.NoError(t, json.Unmarshal(got.body, &list), "%s", got.body)
		for i := range list.Items {
			targets[list.Items[i].Name] = identityOf(list.Items[i].ObjectMeta)
		}
		require.Contains(t, targets, "target")
	}
}

func identityOf(metadata metav1.ObjectMeta) identity {
	return identity{UID: string(metadata.UID), ResourceVersion: metadata.ResourceVersion}
}

func (p *peer) send(ctx context.Context, method, path, contentType string, body []byte) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, p.url+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("User-Agent", "fuzzparity")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := p.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return answer{code: response.StatusCode, warnings: response.Header.Values("Warning"), body: content}, err
}

// try sends the attempt and returns the server's verdict.
func (p *peer) try(ctx context.Context, a attempt) (verdict, answer, error) {
	target := p.targets[a.kind][a.target]
	got, err := p.send(ctx, a.method(), a.path(), a.form.contentType, a.body(target))
	return a.judge(got, target), got, err
}

// verdicts are the verdicts of both servers on one attempt.
type verdicts struct {
	ours, theirs       verdict
	ourSays, theirSays answer
}

func (v verdicts) agree() bool { return bytes.Equal(objects.Encode(v.ours), objects.Encode(v.theirs)) }

// try sends the attempt to both servers, to the peer in v1.
func (p pair) try(ctx context.Context, a attempt) (verdicts, error) {
	var v verdicts
	var err error
	if v.ours, v.ourSays, err = p.ours.try(ctx, a); err != nil {
		return v, err
	}
	if found := goSyntax(v.ourSays); found != "" {
		return v, fmt.Errorf("an answer shows Go syntax: %s", found)
	}
	v.theirs, v.theirSays, err = p.theirs.try(ctx, a.in(versionNew))
	v.ours, v.theirs = asLater(reworded(v.ours), reworded(asIntended(v.theirs)))
	if a.version == versionOld || a.isReal() {
		v.ours.Object, v.theirs.Object = withoutManagers(v.ours.Object), withoutManagers(v.theirs.Object)
	}
	return v, err
}

// asIntended converts a verdict of kube-apiserver to the intended one: a bad
// request is never answered with 500.
func asIntended(v verdict) verdict {
	if v.Code == http.StatusInternalServerError && strings.HasPrefix(v.Message, "strconv.ParseUint: parsing") {
		v.Code, v.Reason = http.StatusBadRequest, string(metav1.StatusReasonBadRequest)
		v.Message = "metadata.resourceVersion must be one that the server returned: " + v.Message
	}
	return v
}

// withoutManagers removes the managed fields: they name the version of the write.
func withoutManagers(object string) string {
	tree, ok := objects.Decode([]byte(object)).(map[string]any)
	if !ok {
		return object
	}
	metadata, _ := tree["metadata"].(map[string]any)
	delete(metadata, "managedFields")
	return string(objects.Encode(tree))
}
