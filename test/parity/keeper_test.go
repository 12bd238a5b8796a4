package parity

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	theirinformers "k8s.io/client-go/informers"
	theirfake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/ensurer"
	"k8s.io/utils/clock"

	ourfake "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/fake"
	ourinformers "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
)

// TestTheKeepersWriteAlike holds the writes of both keepers, and the field manager that
// makes both own the same fields.
func TestTheKeepersWriteAlike(t *testing.T) {
	changed := library.MandatoryFlowSchemaCatchAll.DeepCopy()
	changed.Spec.MatchingPrecedence--
	ours, theirs := ourWrites(t, changed), theirWrites(t, changed)
	if len(theirs) != len(library.MandatoryFlowSchemas)+len(library.SuggestedFlowSchemas)+
		len(library.MandatoryPriorityLevelConfigurations)+len(library.SuggestedPriorityLevelConfigurations) {
		t.Fatalf("kube-apiserver's keeper wrote %q", theirs)
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("-kube-apiserver +this server\n%s", diff)
	}
}

func ourWrites(t *testing.T, stored runtime.Object) []string {
	t.Helper()
	client := ourfake.NewClientset(stored)
	factory := ourinformers.NewSharedInformerFactory(client, 0)
	keeper := bootstrap.New(client.FlowcontrolV1(), factory.Flowcontrol().V1(), nil, clock.RealClock{}, klog.Background())
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	check(t, keeper.EnsureOnce(t.Context()))
	return writes(client.Actions())
}

func theirWrites(t *testing.T, stored runtime.Object) []string {
	t.Helper()
	client := theirfake.NewClientset(stored)
	factory := theirinformers.NewSharedInformerFactory(client, 0)
	schemas, levels := factory.Flowcontrol().V1().FlowSchemas(), factory.Flowcontrol().V1().PriorityLevelConfigurations()
	schemaOps := ensurer.NewFlowSchemaOps(client.FlowcontrolV1().FlowSchemas(), schemas.Lister())
	levelOps := ensurer.NewPriorityLevelConfigurationOps(client.FlowcontrolV1().PriorityLevelConfigurations(), levels.Lister())
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	ctx := t.Context()
	check(t, ensurer.EnsureConfigurations(ctx, levelOps, library.MandatoryPriorityLevelConfigurations, ensurer.NewMandatoryEnsureStrategy[*flowcontrolv1.PriorityLevelConfiguration]()))
	check(t, ensurer.EnsureConfigurations(ctx, levelOps, library.SuggestedPriorityLevelConfigurations, ensurer.NewSuggestedEnsureStrategy[*flowcontrolv1.PriorityLevelConfiguration]()))
	check(t, ensurer.EnsureConfigurations(ctx, schemaOps, library.MandatoryFlowSchemas, ensurer.NewMandatoryEnsureStrategy[*flowcontrolv1.FlowSchema]()))
	check(t, ensurer.EnsureConfigurations(ctx, schemaOps, library.SuggestedFlowSchemas, ensurer.NewSuggestedEnsureStrategy[*flowcontrolv1.FlowSchema]()))
	return writes(client.Actions())
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writes returns what a client wrote, with the field manager, sorted.
func writes(actions []clienttesting.Action) (out []string) {
	for _, action := range actions {
		switch action := action.(type) {
		case clienttesting.CreateActionImpl:
			out = append(out, "create "+action.Resource.Resource+" "+action.GetObject().(metav1.Object).GetName()+" "+action.CreateOptions.FieldManager)
		case clienttesting.UpdateActionImpl:
			out = append(out, "update "+action.Resource.Resource+" "+action.GetObject().(metav1.Object).GetName()+" "+action.UpdateOptions.FieldManager)
		}
	}
	slices.Sort(out)
	return out
}
