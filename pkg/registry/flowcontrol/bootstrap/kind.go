package bootstrap

import (
	"context"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	flowcontroldefaults "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
	flowcontrolv1client "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/typed/flowcontrol/v1"
	flowcontrolv1informers "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions/flowcontrol/v1"
)

// client is the part of a generated client that the keeper uses.
type client[T any] interface {
	Create(ctx context.Context, object T, options metav1.CreateOptions) (T, error)
	Update(ctx context.Context, object T, options metav1.UpdateOptions) (T, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
}

// kind describes one of the two kinds.
type kind[T object[T]] struct {
	name   string
	client client[T]
	// list returns the stored objects in memory, which need not be up to date: a write
	// that is based on an outdated object fails. They are read only. synced reports whether
	// there are any yet.
	list   func(labels.Selector) ([]T, error)
	synced cache.InformerSynced
	// restore copies the spec of the built-in object into an object.
	restore func(object, builtIn T)
	// mandatory and suggested are the built-in objects, defaulted.
	mandatory, suggested []T
}

func flowSchemas(client flowcontrolv1client.FlowSchemaInterface, informer flowcontrolv1informers.FlowSchemaInformer, mandatory, suggested []*flowcontrolv1.FlowSchema) kind[*flowcontrolv1.FlowSchema] {
	return kind[*flowcontrolv1.FlowSchema]{
		name:      "FlowSchema",
		client:    client,
		list:      informer.Lister().List,
		synced:    informer.Informer().HasSynced,
		restore:   restoreFlowSchema,
		mandatory: defaulted(mandatory, flowcontroldefaults.SetObjectDefaults_FlowSchema),
		suggested: defaulted(suggested, flowcontroldefaults.SetObjectDefaults_FlowSchema),
	}
}

func priorityLevels(client flowcontrolv1client.PriorityLevelConfigurationInterface, informer flowcontrolv1informers.PriorityLevelConfigurationInformer, mandatory, suggested []*flowcontrolv1.PriorityLevelConfiguration) kind[*flowcontrolv1.PriorityLevelConfiguration] {
	return kind[*flowcontrolv1.PriorityLevelConfiguration]{
		name:      "PriorityLevelConfiguration",
		client:    client,
		list:      informer.Lister().List,
		synced:    informer.Informer().HasSynced,
		restore:   restorePriorityLevel,
		mandatory: defaulted(mandatory, flowcontroldefaults.SetObjectDefaults_PriorityLevelConfiguration),
		suggested: defaulted(suggested, flowcontroldefaults.SetObjectDefaults_PriorityLevelConfiguration),
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
