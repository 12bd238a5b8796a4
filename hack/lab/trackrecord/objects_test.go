package trackrecord

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// queuing returns a level with queues of 50 requests, whose seats others cannot use.
func queuing(name string, shares, queues, hand int32) *flowcontrolv1.PriorityLevelConfiguration {
	level := rejecting(name, shares)
	level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type:    flowcontrolv1.LimitResponseTypeQueue,
		Queuing: &flowcontrolv1.QueuingConfiguration{Queues: queues, HandSize: hand, QueueLengthLimit: 50},
	}
	return level
}

// rejecting returns a level without queues that neither lends nor borrows.
func rejecting(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	level := objects.LevelOf(name, shares)
	level.UID = types.UID(name + "-level")
	return level
}

// ofUsers returns a schema of all requests of the users, which divides them by user.
func ofUsers(name, level string, precedence int32, users ...string) *flowcontrolv1.FlowSchema {
	schema := objects.SchemaOf(name, level)
	schema.UID, schema.Spec.MatchingPrecedence = types.UID(name+"-schema"), precedence
	schema.Spec.Rules[0].Subjects = nil
	for _, name := range users {
		schema.Spec.Rules[0].Subjects = append(schema.Spec.Rules[0].Subjects,
			flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: name}})
	}
	return schema
}

type (
	levels  = []*flowcontrolv1.PriorityLevelConfiguration
	schemas = []*flowcontrolv1.FlowSchema
)

// builtIn returns a server with the objects that kube-apiserver 1.33 creates.
func builtIn(total int) Setup {
	return Setup{
		Total:   total,
		Levels:  slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations),
		Schemas: slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas),
	}
}

// with returns a server that has a level and a schema more.
func (s Setup) with(level *flowcontrolv1.PriorityLevelConfiguration, schema *flowcontrolv1.FlowSchema) Setup {
	s.Levels = append(levels{level}, s.Levels...)
	s.Schemas = append(schemas{schema}, s.Schemas...)
	return s
}

// serviceAccount returns the name of the service account of a namespace, and its groups.
func serviceAccount(namespace, name string) (user string, groups []string) {
	return "system:serviceaccount:" + namespace + ":" + name, []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
}
