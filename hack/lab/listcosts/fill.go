package main

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

const (
	// storePrefix is the prefix of the keys of etcd.
	storePrefix = "/registry/flowcontrol.apiserver.k8s.io"
	collection  = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
	// overhead is the size of a FlowSchema without its text, in bytes.
	overhead = 250
)

// fill stores FlowSchemas of a size that match no request.
func fill(ctx context.Context, store *clientv3.Client, s size) error {
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	if !ok {
		return errors.New("there is no serializer for protobuf")
	}
	encoder := scheme.Codecs.EncoderForVersion(info.Serializer, flowcontrolv1.SchemeGroupVersion)
	for n := range stored / s.bytes {
		schema := &flowcontrolv1.FlowSchema{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("filled-%06d", n), UID: types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", n)), Generation: 1,
				Annotations: map[string]string{"example.com/text": text(n, s.bytes-overhead)},
			},
			Spec: flowcontrolv1.FlowSchemaSpec{
				PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "workload-low"}, MatchingPrecedence: 9_500,
			},
			Status: flowcontrolv1.FlowSchemaStatus{Conditions: []flowcontrolv1.FlowSchemaCondition{{
				Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionFalse, Reason: "Found",
				Message: `This FlowSchema references the PriorityLevelConfiguration object named "workload-low" and it exists`,
			}}},
		}
		var content bytes.Buffer
		if err := encoder.Encode(schema, &content); err != nil {
			return err
		}
		if _, err := store.Put(ctx, storePrefix+"/flowschemas/"+schema.Name, content.String()); err != nil {
			return err
		}
	}
	return nil
}

// text returns a text of a length that compresses as configuration does.
func text(n, length int) string {
	line := fmt.Sprintf("object %d: the quick brown fox jumps over the lazy dog; ", n)
	return strings.Repeat(line, length/len(line)+1)[:length]
}
