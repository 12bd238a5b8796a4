package bootstrap

import (
	"context"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/gentype"

	flowcontroldefaults "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
	flowcontrolv1client "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/typed/flowcontrol/v1"
)

// client is the part of a generated client that the keeper uses.
type client[T any] interface {
	Create(ctx context.Context, object T, options metav1.CreateOptions) (T, error)
	Update(ctx context.Context, object T, options metav1.UpdateOptions) (T, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
}

var (
	_ client[*flowcontrolv1.FlowSchema]                 = flowcontrolv1client.FlowSchemaInterface(nil)
	_ client[*flowcontrolv1.PriorityLevelConfiguration] = flowcontrolv1client.PriorityLevelConfigurationInterface(nil)
)

// kind describes one of the two kinds.
type kind[T object[T]] struct {
	name   string
	client client[T]
	// page returns one page and the continue token of the next, empty at the end.
	page func(context.Context, metav1.ListOptions) ([]T, string, error)
	// restore copies the spec of the built-in object into an object.
	restore func(object, builtIn T)
	// mandatory and suggested are the built-in objects, defaulted.
	mandatory, suggested []T
}

func flowSchemas(client flowcontrolv1client.FlowSchemaInterface, mandatory, suggested []*flowcontrolv1.FlowSchema) kind[*flowcontrolv1.FlowSchema] {
	return kind[*flowcontrolv1.FlowSchema]{
		name:      "FlowSchema",
		client:    client,
		page:      pages(client.List, func(list *flowcontrolv1.FlowSchemaList) []flowcontrolv1.FlowSchema { return list.Items }),
		restore:   restoreFlowSchema,
		mandatory: defaulted(mandatory, flowcontroldefaults.SetObjectDefaults_FlowSchema),
		suggested: defaulted(suggested, flowcontroldefaults.SetObjectDefaults_FlowSchema),
	}
}

func priorityLevels(client flowcontrolv1client.PriorityLevelConfigurationInterface, mandatory, suggested []*flowcontrolv1.PriorityLevelConfiguration) kind[*flowcontrolv1.PriorityLevelConfiguration] {
	return kind[*flowcontrolv1.PriorityLevelConfiguration]{
		name:   "PriorityLevelConfiguration",
		client: client,
		page: pages(client.List, func(list *flowcontrolv1.PriorityLevelConfigurationList) []flowcontrolv1.PriorityLevelConfiguration {
			return list.Items
		}),
		restore:   restorePriorityLevel,
		mandatory: defaulted(mandatory, flowcontroldefaults.SetObjectDefaults_PriorityLevelConfiguration),
		suggested: defaulted(suggested, flowcontroldefaults.SetObjectDefaults_PriorityLevelConfiguration),
	}
}

// pages adapts the List method of a generated client to kind.page.
func pages[L metav1.ListInterface, E any](list func(context.Context, metav1.ListOptions) (L, error), items func(L) []E) func(context.Context, metav1.ListOptions) ([]*E, string, error) {
	return func(ctx context.Context, options metav1.ListOptions) ([]*E, string, error) {
		page, err := list(ctx, options)
		if err != nil {
			return nil, "", err
		}
		return gentype.ToPointerSlice(items(page)), page.GetContinue(), nil
	}
}

// defaulted returns copies of the objects with their defaults, as the API stores
// them.
func defaulted[T object[T]](objects []T, setDefaults func(T)) []T {
	copies := make([]T, 0, len(objects))
	for _, object := range objects {
		object = object.DeepCopy()
		setDefaults(object)
		copies = append(copies, object)
	}
	return copies
}
