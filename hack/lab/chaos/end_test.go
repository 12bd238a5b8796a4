package chaos_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/chaos"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// settle waits until every schema says rightly whether its level exists. Then servers
// write nothing by themselves.
func (s *site) settle(ctx context.Context, t *testing.T) {
	t.Helper()
	require.Empty(t, eventually.Within(ctx, func(a *eventually.Attempt) {
		client := s.replicas[0].client.FlowcontrolV1()
		schemas, err := client.FlowSchemas().List(a.Context(), metav1.ListOptions{})
		require.NoError(a, err)
		levels, err := client.PriorityLevelConfigurations().List(a.Context(), metav1.ListOptions{})
		require.NoError(a, err)
		exists := map[string]bool{}
		for _, level := range levels.Items {
			exists[level.Name] = true
		}
		for i := range schemas.Items {
			schema := &schemas.Items[i]
			require.Len(a, schema.Status.Conditions, 1, schema.Name)
			wanted := flowcontrolv1.ConditionTrue
			if exists[schema.Spec.PriorityLevelConfiguration.Name] {
				wanted = flowcontrolv1.ConditionFalse
			}
			require.Equal(a, wanted, schema.Status.Conditions[0].Status, schema.Name)
		}
	}))
}

// createSchemas creates the schemas whose levels come and go.
func (s *site) createSchemas(ctx context.Context, t *testing.T) {
	t.Helper()
	for i := range targets {
		_, err := s.replicas[0].client.FlowcontrolV1().FlowSchemas().Create(ctx, objects.SchemaOf(target(i), target(i)), metav1.CreateOptions{})
		require.NoError(t, err)
	}
}

// end waits until servers write nothing more, and makes the last write of each resource.
func (s *site) end(ctx context.Context, t *testing.T) {
	t.Helper()
	client := s.replicas[0].client.FlowcontrolV1()
	_, err := client.FlowSchemas().Create(ctx, objects.SchemaOf(endName, "catch-all"), metav1.CreateOptions{})
	require.NoError(t, err)
	s.settle(ctx, t)
	body := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, endAnnotation)
	_, err = client.FlowSchemas().Patch(ctx, endName, types.MergePatchType, body, metav1.PatchOptions{})
	require.NoError(t, err)
	level := objects.LevelOf(endName, 1)
	level.Annotations = map[string]string{endAnnotation: "true"}
	_, err = client.PriorityLevelConfigurations().Create(ctx, level, metav1.CreateOptions{})
	require.NoError(t, err)
}

// engines reads the configuration of each engine, once they have the last level and
// are the same. If they never are, it returns them as they are, for the check.
func (s *site) engines(ctx context.Context, t *testing.T) (engines []chaos.Engine) {
	t.Helper()
	list, err := s.replicas[0].client.FlowcontrolV1().PriorityLevelConfigurations().List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	var stored []string
	for _, level := range list.Items {
		stored = append(stored, level.Name)
	}
	failures := eventually.Within(ctx, func(a *eventually.Attempt) {
		var read []chaos.Engine
		for _, r := range s.replicas {
			engine, err := r.engine(a.Context())
			require.NoError(a, err)
			read = append(read, engine)
		}
		engines = read
		require.Empty(a, chaos.CheckEngines(engines, stored))
	})
	if failures != "" {
		t.Errorf("the engines do not end on the same configuration:\n%s", failures)
	}
	return engines
}

// engine reads what the engine of a server enforces from its metrics.
func (r *replica) engine(ctx context.Context) (chaos.Engine, error) {
	reply, err := harness.Send(ctx, r.http, http.MethodGet, r.URL+"/metrics", "")
	if err != nil {
		return chaos.Engine{}, err
	}
	engine := chaos.Engine{Server: r.URL}
	hash := regexp.MustCompile(`(?m)^apiserver_flowcontrol_configuration_info\{hash="([^"]+)"\} 1$`)
	if found := hash.FindStringSubmatch(reply.Body); found != nil {
		engine.Hash = found[1]
	}
	level := regexp.MustCompile(`(?m)^apiserver_flowcontrol_nominal_limit_seats\{priority_level="([^"]+)"\}`)
	for _, found := range level.FindAllStringSubmatch(reply.Body, -1) {
		engine.Levels = append(engine.Levels, found[1])
	}
	return engine, nil
}
