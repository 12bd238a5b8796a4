package isolate

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

const (
	// The level has as many queues as the built-in ones of this size, and hands that make a heavy
	// flow leave others alone.
	queues, handSize, queueLength = 64, 6, 50
	// lends and borrows are percentages of the level's own seats.
	lends, borrows = 50, 100
)

// part is one of the flow schemas.
type part struct {
	suffix, level string
	method        flowcontrolv1.FlowDistinguisherMethodType
	rules         []flowcontrolv1.ResourcePolicyRule
	paths         []flowcontrolv1.NonResourcePolicyRule
	why           []string
}

// parts returns the flow schemas in matching order.
func (p *plan) parts() []part {
	var all []part
	if l := p.leases; l != nil {
		all = append(all, part{
			suffix: leasesSuffix, level: leaseLevel, method: flowcontrolv1.FlowDistinguisherMethodByUserType,
			rules: []flowcontrolv1.ResourcePolicyRule{{Verbs: leaseVerbs(), APIGroups: []string{leaseGroup}, Resources: []string{"leases"}, Namespaces: l.namespaces}},
			why:   []string{"Leader election keeps seats of its own when the operator fills its level.", l.why},
		})
	}
	if e := p.events; e != nil {
		all = append(all, part{
			suffix: eventsSuffix, level: e.level, method: flowcontrolv1.FlowDistinguisherMethodByUserType,
			rules: []flowcontrolv1.ResourcePolicyRule{{Verbs: eventVerbs(), APIGroups: e.groups, Resources: []string{"events"}, Namespaces: []string{flowcontrolv1.NamespaceEvery}}},
			why:   []string{e.why},
		})
	}
	everything := []string{flowcontrolv1.VerbAll}
	rest := part{
		level: p.name, method: flowcontrolv1.FlowDistinguisherMethodByNamespaceType,
		rules: []flowcontrolv1.ResourcePolicyRule{{Verbs: everything, APIGroups: everything, Resources: everything, ClusterScope: true, Namespaces: everything}},
		paths: []flowcontrolv1.NonResourcePolicyRule{{Verbs: everything, NonResourceURLs: everything}},
		why: []string{"It matches every other request of the service account, also the requests that its later versions send.",
			"Each namespace is a flow: work for one namespace does not delay work for the others."},
	}
	if len(p.Accounts) > 1 || p.Accounts[0].Name == everyAccount {
		rest.method = flowcontrolv1.FlowDistinguisherMethodByUserType
		rest.why[0] = "It matches every other request of the service accounts, also the requests that their later versions send."
		rest.why[1] = "Each service account is a flow: none delays the others."
	}
	return append(all, rest)
}

const leasesSuffix, eventsSuffix = "-leases", "-events"

// objects returns the objects to apply: the level, then the schemas in matching order.
func (p *plan) objects() ([]Object, error) {
	parts := p.parts()
	between := p.current.boundsOf(p.Accounts)
	var names []string
	for i := range parts {
		names = append(names, p.name+parts[i].suffix)
	}
	precedences, err := between.choose(names)
	if err != nil {
		return nil, err
	}
	objects := []Object{{PriorityLevel: p.level()}}
	objects[0].Why = append(slices.Clone(p.size.why),
		fmt.Sprintf("It lends %d %% of its seats while it is idle, and borrows as many as it has.", lends))
	for i := range parts {
		o := Object{FlowSchema: p.schema(&parts[i], precedences[i]), Why: parts[i].why}
		if i == len(parts)-1 {
			o.Why = append(o.Why, fmt.Sprintf("%d is before %s (%d), which has these requests today, and after %s (%d), which keeps its own.",
				precedences[i], between.upperSchema, between.upper, between.lowerSchema, between.lower))
		}
		objects = append(objects, o)
	}
	return objects, p.clash(objects)
}

// clash is an error about new objects whose names are taken.
func (p *plan) clash(objects []Object) error {
	var taken []string
	for i := range objects {
		o := &objects[i]
		exists := slices.ContainsFunc(p.Configuration.FlowSchemas, func(s *flowcontrolv1.FlowSchema) bool { return o.FlowSchema != nil && s.Name == o.Name() }) ||
			o.PriorityLevel != nil && p.current.hasLevel(p.name)
		if exists {
			taken = append(taken, o.Kind()+" "+o.Name())
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return fmt.Errorf("%s exists already: choose another name by --name, or delete it if it is of an earlier run", strings.Join(taken, ", "))
}

func (p *plan) level() *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: flowcontrolv1.SchemeGroupVersion.String(), Kind: "PriorityLevelConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: p.name},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &p.size.shares, LendablePercent: new(int32(lends)), BorrowingLimitPercent: new(int32(borrows)),
				LimitResponse: flowcontrolv1.LimitResponse{
					Type:    flowcontrolv1.LimitResponseTypeQueue,
					Queuing: &flowcontrolv1.QueuingConfiguration{Queues: queues, HandSize: handSize, QueueLengthLimit: queueLength},
				},
			},
		},
	}
}

func (p *plan) schema(of *part, precedence int32) *flowcontrolv1.FlowSchema {
	s := &flowcontrolv1.FlowSchema{
		TypeMeta:   metav1.TypeMeta{APIVersion: flowcontrolv1.SchemeGroupVersion.String(), Kind: "FlowSchema"},
		ObjectMeta: metav1.ObjectMeta{Name: p.name + of.suffix},
		Spec: flowcontrolv1.FlowSchemaSpec{
			MatchingPrecedence:         precedence,
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: of.level},
			Rules:                      []flowcontrolv1.PolicyRulesWithSubjects{{ResourceRules: of.rules, NonResourceRules: of.paths}},
		},
	}
	if of.method != "" {
		s.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: of.method}
	}
	for _, account := range p.Accounts {
		s.Spec.Rules[0].Subjects = append(s.Spec.Rules[0].Subjects, flowcontrolv1.Subject{
			Kind:           flowcontrolv1.SubjectKindServiceAccount,
			ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: account.Namespace, Name: account.Name},
		})
	}
	return s
}

// filesOf returns the objects as files to apply.
func filesOf(objects []Object) (files source.Files) {
	for i := range objects {
		files.Objects = append(files.Objects, objects[i].source())
	}
	return files
}

// applied returns the configuration after the objects were applied.
func applied(c configuration.Configuration, objects []Object) configuration.Configuration {
	files := filesOf(objects)
	return c.Overlay(files.FlowSchemas(), files.PriorityLevels())
}
