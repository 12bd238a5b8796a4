package traffic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

const (
	// overhead is the size of a FlowSchema without its text, in bytes.
	overhead = 300
	// puts is the number of concurrent writes to an etcd.
	puts = 64
)

// Fill stores as many FlowSchemas of a size in bytes below a prefix of the keys of etcd, as a server
// does, with the status that it would set. Each names a user that sends no request, and the precedences are spread.
func Fill(ctx context.Context, store *clientv3.Client, prefix string, count, size int) error {
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	if !ok {
		return errors.New("there is no serializer for protobuf")
	}
	encoder := scheme.Codecs.EncoderForVersion(info.Serializer, flowcontrolv1.SchemeGroupVersion)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(puts)
	for n := range count {
		group.Go(func() error {
			schema := filled(n, size)
			var content bytes.Buffer
			if err := encoder.Encode(schema, &content); err != nil {
				return err
			}
			_, err := store.Put(ctx, prefix+"/flowschemas/"+schema.Name, content.String())
			return err
		})
	}
	return group.Wait()
}

// NameOfFilled returns the name of the FlowSchema with this number.
func NameOfFilled(n int) string { return fmt.Sprintf("filled-%06d", n) }

func filled(n, size int) *flowcontrolv1.FlowSchema {
	all := []string{"*"}
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{
			Name: NameOfFilled(n), UID: types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", n)), Generation: 1,
			Annotations: map[string]string{"example.com/text": text(n, size-overhead)},
		},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "workload-low"}, MatchingPrecedence: int32(1000 + n%8000),
			DistinguisherMethod: &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects:      []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: fmt.Sprint("nobody-", n)}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{Verbs: all, APIGroups: all, Resources: all, Namespaces: all}},
			}},
		},
		Status: flowcontrolv1.FlowSchemaStatus{Conditions: []flowcontrolv1.FlowSchemaCondition{{
			Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionFalse, Reason: "Found",
			Message: `This FlowSchema references the PriorityLevelConfiguration object named "workload-low" and it exists`,
		}}},
	}
}

// text returns a text of a length that compresses as configuration does.
func text(n, length int) string {
	line := fmt.Sprintf("object %d: the quick brown fox jumps over the lazy dog; ", n)
	return strings.Repeat(line, length/len(line)+1)[:length]
}
