package traffic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// overhead is the size of a FlowSchema without its text, in bytes.
const overhead = 250

// Fill stores as many FlowSchemas of a size in bytes below a prefix of the keys of etcd. They
// match no request.
func Fill(ctx context.Context, store *clientv3.Client, prefix string, count, size int) error {
	for n := range count {
		if err := Put(ctx, store, prefix, n, size, nil); err != nil {
			return err
		}
	}
	return nil
}

// NameOfFilled returns the name of the FlowSchema with this number.
func NameOfFilled(n int) string { return fmt.Sprintf("filled-%06d", n) }

// Put stores one of them, with labels.
func Put(ctx context.Context, store *clientv3.Client, prefix string, n, size int, labels map[string]string) error {
	return Store(ctx, store, prefix, &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{
			Name: NameOfFilled(n), UID: types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", n)), Generation: 1, Labels: labels,
			Annotations: map[string]string{"example.com/text": text(n, size-overhead)},
		},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "workload-low"}, MatchingPrecedence: 9_500,
		},
		Status: flowcontrolv1.FlowSchemaStatus{Conditions: []flowcontrolv1.FlowSchemaCondition{{
			Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionFalse, Reason: "Found",
			Message: `This FlowSchema references the PriorityLevelConfiguration object named "workload-low" and it exists`,
		}}},
	})
}

// Store stores a FlowSchema as a server does.
func Store(ctx context.Context, store *clientv3.Client, prefix string, schema *flowcontrolv1.FlowSchema) error {
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	if !ok {
		return errors.New("there is no serializer for protobuf")
	}
	var content bytes.Buffer
	if err := scheme.Codecs.EncoderForVersion(info.Serializer, flowcontrolv1.SchemeGroupVersion).Encode(schema, &content); err != nil {
		return err
	}
	_, err := store.Put(ctx, prefix+"/flowschemas/"+schema.Name, content.String())
	return err
}

// text returns a text of a length that compresses as configuration does.
func text(n, length int) string {
	line := fmt.Sprintf("object %d: the quick brown fox jumps over the lazy dog; ", n)
	return strings.Repeat(line, length/len(line)+1)[:length]
}
