package lint

import (
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

// levelCases are the cases of FC2xx.
func levelCases() []checkCase {
	limited := func(change func(*flowcontrolv1.LimitedPriorityLevelConfiguration)) change {
		return func(_ *Bundle, _ *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			change(level.Spec.Limited)
		}
	}
	queuing := func(queues, handSize, length int32) change {
		return limited(func(l *flowcontrolv1.LimitedPriorityLevelConfiguration) {
			*l.LimitResponse.Queuing = flowcontrolv1.QueuingConfiguration{Queues: queues, HandSize: handSize, QueueLengthLimit: length}
		})
	}
	shares := func(shares int32) change {
		return limited(func(l *flowcontrolv1.LimitedPriorityLevelConfiguration) { l.NominalConcurrencyShares = new(shares) })
	}
	reject := func(shares int32, borrowing *int32) change {
		return limited(func(l *flowcontrolv1.LimitedPriorityLevelConfiguration) {
			l.NominalConcurrencyShares, l.BorrowingLimitPercent = new(shares), borrowing
			l.LimitResponse = flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject}
		})
	}
	atTotal := func(total int, with change) change {
		return func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			bundle.Total = total
			with(bundle, schema, level)
		}
	}
	builtIn := func(name string, shares int32) change {
		return func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			for i, level := range bundle.PriorityLevels {
				if level.Name == name {
					bundle.PriorityLevels[i] = level.DeepCopy()
					bundle.PriorityLevels[i].Spec.Limited.NominalConcurrencyShares = new(shares)
				}
			}
			bundle.Only = append(bundle.Only, levelObject(name))
		}
	}
	// alone leaves mine and another limited level, with these percentages, and exempt.
	alone := func(lendable, othersBorrowing int32) change {
		return func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			other := level.DeepCopy()
			other.Name = "other"
			other.Spec.Limited.LendablePercent, other.Spec.Limited.BorrowingLimitPercent = new(lendable), new(othersBorrowing)
			bundle.Defaults, bundle.PriorityLevels = Defaults{}, []*flowcontrolv1.PriorityLevelConfiguration{level, other, bootstrap.MandatoryPriorityLevelConfigurationExempt}
		}
	}
	unnamed := func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
		schema.Spec.PriorityLevelConfiguration.Name = "workload-low"
	}
	deleted := func(name string) change {
		return func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			bundle.Deleted = []Object{levelObject("former")}
			bundle.Only = append(bundle.Only, levelObject("former"))
			schema.Spec.PriorityLevelConfiguration.Name = name
		}
	}
	unchanged := func(*Bundle, *flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration) {}
	const (
		share    = "spec.limited.nominalConcurrencyShares"
		hands    = "warning spec.limited.limitResponse.queuing"
		lendable = "spec.limited.lendablePercent"
		borrowed = "spec.limited.borrowingLimitPercent"
	)
	// forTwo is for two accounts: by namespace, in one namespace, or for pods by user.
	forTwo := func(namespace string, with change) change {
		return func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Spec.Rules[0].Subjects = append(schema.Spec.Rules[0].Subjects, anAccount("team", "other"))
			if namespace != "pods" {
				schema.Spec.DistinguisherMethod.Type = flowcontrolv1.FlowDistinguisherMethodByNamespaceType
				r := &schema.Spec.Rules[0]
				r.NonResourceRules, r.ResourceRules[0].ClusterScope, r.ResourceRules[0].Namespaces = nil, false, []string{namespace}
			}
			with(bundle, schema, level)
		}
	}
	return []checkCase{
		{"no shares, with queues", NoSeats, shares(0), []string{"warning " + share}},
		{"no shares, with queues and any borrowing", NoSeats, limited(func(l *flowcontrolv1.LimitedPriorityLevelConfiguration) {
			l.NominalConcurrencyShares, l.BorrowingLimitPercent = new(int32(0)), nil
		}), []string{"warning " + share}},
		{"no shares, without queues", NoSeats, reject(0, new(int32(0))), nil},
		{"no schema", UnusedLevel, unnamed, []string{"info"}},
		{"a schema", UnusedLevel, unchanged, nil},
		{"waiting for its finalizers", DeletedInUse, func(_ *Bundle, _ *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			level.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		}, []string{"warning"}},
		{"deleted, and named", DeletedInUse, deleted("former"), []string{"warning"}},
		{"deleted, and not named", DeletedInUse, deleted("mine"), nil},
		{"8 of 8 queues", SharedHands, forTwo("pods", queuing(8, 8, 50)), []string{hands}},
		{"1 of 64 queues", SharedHands, forTwo("pods", queuing(64, 1, 50)), []string{hands}},
		{"one queue for one account by user", SharedHands, queuing(1, 1, 50), nil},
		{"8 of 8 queues for one namespace by namespace", SharedHands, forTwo("ns1", queuing(8, 8, 50)), nil},
		{"accounts by namespace, in one namespace", OneFlow, forTwo("ns1", queuing(64, 6, 50)), []string{"warning spec.distinguisherMethod.type"}},
		{"so on a level of one queue", OneFlow, forTwo("ns1", queuing(1, 1, 50)), nil},
		{"users of a group by namespace, without a namespace", OneFlow, func(b *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			forTwo("ns1", unchanged)(b, schema, level)
			schema.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{aGroup("devs")}
			schema.Spec.Rules[0].ResourceRules[0].Namespaces, schema.Spec.Rules[0].ResourceRules[0].ClusterScope = nil, true
		}, []string{"warning spec.distinguisherMethod.type"}},
		{"accounts by namespace, in two namespaces", OneFlow, func(b *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			forTwo("ns1", unchanged)(b, schema, level)
			schema.Spec.Rules[0].ResourceRules[0].Namespaces = []string{"ns1", "ns2"}
		}, nil},
		{"accounts by user, in one namespace", OneFlow, forTwo("pods", unchanged), nil},
		{"one queue for one flow", SharedHands, func(_ *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Spec.DistinguisherMethod = nil
			*level.Spec.Limited.LimitResponse.Queuing = flowcontrolv1.QueuingConfiguration{Queues: 1, HandSize: 1, QueueLengthLimit: 50}
		}, nil},
		{"4 of 16 queues", SharedHands, queuing(16, 4, 50), nil},
		{"more than 46 seats serve in 15 s", QueuesTooLong, queuing(64, 6, 6901), []string{"warning spec.limited.limitResponse.queuing.queueLengthLimit"}},
		{"what 46 seats serve in 15 s", QueuesTooLong, queuing(64, 6, 6900), nil},
		{"very long, with an unknown total", QueuesTooLong, atTotal(0, queuing(64, 6, 100_000)), nil},
		{"one seat", FewSeats, atTotal(10, unchanged), []string{"warning " + share}},
		{"no seats, but borrowing, without queues", FewSeats, reject(0, nil), []string{"info " + share}},
		{"no seats and no borrowing, without queues, of which kube-apiserver makes one", FewSeats, reject(0, new(int32(0))), []string{"info " + share}},
		{"two seats", FewSeats, atTotal(20, unchanged), nil},
		{"very many shares", BuiltInSharesDrop, shares(300), []string{"warning " + share}},
		{"as many as the built-in levels together", BuiltInSharesDrop, shares(230), nil},
		{"few shares of a built-in level", BuiltInSharesDrop, builtIn("system", 14), []string{"warning " + share}},
		{"two thirds of the shares of a built-in level, beside very many", BuiltInSharesDrop, func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			shares(300)(bundle, schema, level)
			builtIn("system", 20)(bundle, schema, level)
		}, []string{"warning " + share}},
		{"half of the shares of a built-in level", BuiltInSharesDrop, builtIn("system", 17), nil},
		{"lends less than half a seat", NoBorrowingEffect, limited(func(l *flowcontrolv1.LimitedPriorityLevelConfiguration) { l.LendablePercent = new(int32(1)) }), []string{"info " + lendable}},
		{"borrows less than half a seat", NoBorrowingEffect, limited(func(l *flowcontrolv1.LimitedPriorityLevelConfiguration) {
			l.BorrowingLimitPercent = new(int32(1))
		}), []string{"info " + borrowed}},
		{"nobody to borrow from", NoBorrowingEffect, alone(0, 100), []string{"info " + borrowed}},
		{"nobody to lend to", NoBorrowingEffect, alone(50, 0), []string{"info " + lendable}},
		{"both lend and both borrow", NoBorrowingEffect, alone(50, 100), nil},
		{"the other lends", NoBorrowingEffect, func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			level.Spec.Limited.LendablePercent = new(int32(0))
			alone(50, 0)(bundle, schema, level)
		}, nil},
		{"lends all", LendsAll, limited(func(l *flowcontrolv1.LimitedPriorityLevelConfiguration) { l.LendablePercent = new(int32(100)) }), []string{"warning " + lendable}},
		{"lends almost all", LendsAll, limited(func(l *flowcontrolv1.LimitedPriorityLevelConfiguration) { l.LendablePercent = new(int32(99)) }), nil},
	}
}
