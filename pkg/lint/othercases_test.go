package lint

import (
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// builtInCases are the cases of FC3xx.
func builtInCases() []checkCase {
	const annotation = "metadata.annotations[" + flowcontrolv1.AutoUpdateAnnotationKey + "]"
	schema := func(name string, change func(*flowcontrolv1.FlowSchema)) change {
		return func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			for i, schema := range bundle.FlowSchemas {
				if schema.Name == name {
					bundle.FlowSchemas[i] = schema.DeepCopy()
					change(bundle.FlowSchemas[i])
				}
			}
			bundle.Only = []Object{schemaObject(name)}
		}
	}
	annotated := func(value string, generation int64) func(*flowcontrolv1.FlowSchema) {
		return func(schema *flowcontrolv1.FlowSchema) {
			schema.Annotations, schema.Generation = map[string]string{flowcontrolv1.AutoUpdateAnnotationKey: value}, generation
			schema.Spec.MatchingPrecedence++
		}
	}
	to := func(level string, precedence int32, subjects ...flowcontrolv1.Subject) change {
		return func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			name := schema.Name
			*schema = everything(name, precedence, subjects...)
			schema.Spec.PriorityLevelConfiguration.Name = level
		}
	}
	without := func(kind, name string) change {
		return func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			bundle.Only = []Object{{Kind: kind, Name: name}}
			var schemas []*flowcontrolv1.FlowSchema
			for _, schema := range bundle.FlowSchemas {
				if kind != kindFlowSchema || schema.Name != name {
					schemas = append(schemas, schema)
				}
			}
			var levels []*flowcontrolv1.PriorityLevelConfiguration
			for _, level := range bundle.PriorityLevels {
				if kind != kindPriorityLevel || level.Name != name {
					levels = append(levels, level)
				}
			}
			bundle.FlowSchemas, bundle.PriorityLevels = schemas, levels
		}
	}
	mine := func(annotations map[string]string) change {
		return func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Annotations = annotations
		}
	}
	return []checkCase{
		{"changed, annotated true", RevertedChange, schema("service-accounts", annotated("true", 7)), []string{"warning " + annotation}},
		{"changed, in a file without the annotation", RevertedChange, schema("service-accounts", annotated("", 0)), []string{"warning " + annotation}},
		{"changed, annotated false", RevertedChange, schema("service-accounts", annotated("false", 7)), nil},
		{"changed before the server annotated it", RevertedChange, schema("service-accounts", annotated("", 2)), nil},
		{"a schema", DeletedSuggestion, without(kindFlowSchema, "service-accounts"), []string{"warning"}},
		{"a level", DeletedSuggestion, without(kindPriorityLevel, "workload-low"), []string{"warning"}},
		{"a mandatory level, which is in force anyhow", DeletedSuggestion, without(kindPriorityLevel, "catch-all"), nil},
		{"nodes to fewer seats", TakesFromBuiltIn, to("mine", 350, aGroup("system:nodes")), []string{"warning spec.matchingPrecedence"}},
		{"nodes to rejection", TakesFromBuiltIn, to("catch-all", 350, aGroup("system:nodes")), []string{"warning spec.matchingPrecedence"}},
		{"nodes to more seats, but rejection", TakesFromBuiltIn, func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			level.Spec.Limited.NominalConcurrencyShares = new(int32(100))
			level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject}
			to("mine", 350, aGroup("system:nodes"))(bundle, schema, level)
		}, []string{"warning spec.matchingPrecedence"}},
		{"nodes to no limit", TakesFromBuiltIn, to("exempt", 350, aGroup("system:nodes")), nil},
		{"nodes to more seats", TakesFromBuiltIn, to("workload-low", 450, aGroup("system:nodes")), nil},
		{"nodes, after the built-in schemas", TakesFromBuiltIn, to("mine", 550, aGroup("system:nodes")), nil},
		{"one node, on purpose", TakesFromBuiltIn, to("mine", 350, aUser("system:node:a")), []string{"info spec.matchingPrecedence"}},
		{"the scheduler", TakesFromBuiltIn, to("mine", 50, aUser("system:kube-scheduler")), []string{"warning spec.matchingPrecedence"}},
		{"a group that may include the scheduler, but need not", TakesFromBuiltIn, to("mine", 50, aGroup("devs")), nil},
		{"service accounts of kube-system", TakesFromBuiltIn, to("mine", 500, aGroup("system:serviceaccounts")), []string{"warning spec.matchingPrecedence"}},
		{"service accounts, after kube-system's", TakesFromBuiltIn, to("mine", 1000, aGroup("system:serviceaccounts")), nil},
		{"a built-in schema moved", TakesFromBuiltIn, schema("kube-scheduler", func(schema *flowcontrolv1.FlowSchema) {
			schema.Spec.PriorityLevelConfiguration.Name = "catch-all"
		}), []string{"warning spec.priorityLevelConfiguration.name"}},
		{"kube-controller-manager under another user", LostBuiltInClient, schema("kube-controller-manager", func(schema *flowcontrolv1.FlowSchema) {
			schema.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{anAccount("kube-system", "kube-controller-manager")}
		}), []string{"warning spec.rules"}},
		{"the scheduler without requests of all namespaces", LostBuiltInClient, schema("kube-scheduler", func(schema *flowcontrolv1.FlowSchema) {
			schema.Spec.Rules[0].ResourceRules[0].ClusterScope = false
		}), []string{"warning spec.rules"}},
		{"kubelets as a user", LostBuiltInClient, schema("system-nodes", func(schema *flowcontrolv1.FlowSchema) {
			schema.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{aUser("kubelet")}
		}), []string{"warning spec.rules"}},
		{"one more user of kube-controller-manager's schema", LostBuiltInClient, schema("kube-controller-manager", func(schema *flowcontrolv1.FlowSchema) {
			schema.Spec.Rules[0].Subjects = append(schema.Spec.Rules[0].Subjects, anAccount("kube-system", "kube-controller-manager"))
		}), nil},
		{"the scheduler in a schema of its own", LostBuiltInClient, func(bundle *Bundle, mine *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			to("mine", 900, aUser("system:kube-scheduler"))(bundle, mine, level)
			schema("kube-scheduler", func(schema *flowcontrolv1.FlowSchema) {
				schema.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{aUser("other")}
			})(bundle, mine, level)
		}, nil},
		{"annotated true, and not built in", DeletedByServer, mine(map[string]string{flowcontrolv1.AutoUpdateAnnotationKey: "true"}), []string{"error " + annotation}},
		{"annotated true, and waiting for its finalizers", DeletedByServer, func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Annotations, schema.DeletionTimestamp = map[string]string{flowcontrolv1.AutoUpdateAnnotationKey: "true"}, &metav1.Time{Time: time.Unix(1, 0)}
		}, nil},
		{"annotated false, and not built in", DeletedByServer, mine(map[string]string{flowcontrolv1.AutoUpdateAnnotationKey: "false"}), nil},
	}
}

// manifestCases are the cases of FC4xx.
func manifestCases() []checkCase {
	version := func(version, release string, served ...string) change {
		return func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			bundle.Documents[0].APIVersion, bundle.Release, bundle.Facts.ServedVersions = "flowcontrol.apiserver.k8s.io/"+version, release, served
		}
	}
	unknown := func(fields ...string) change {
		return func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			bundle.Documents[0].UnknownFields = fields
		}
	}
	const renamed = "spec.limited.assuredConcurrencyShares"
	api := []string{"error apiVersion"}
	warned := []string{"warning apiVersion"}
	return []checkCase{
		{"v1beta3 in 1.32", RemovedAPIVersion, version("v1beta3", "1.32"), api},
		{"v1beta2 in 1.29", RemovedAPIVersion, version("v1beta2", "1.29"), api},
		{"v1beta1 in 1.29", RemovedAPIVersion, version("v1beta1", "1.29"), api},
		{"v1alpha1 in 1.29", RemovedAPIVersion, version("v1alpha1", "1.29"), api},
		{"a version that never was", RemovedAPIVersion, version("v2", "1.33"), api},
		{"v1 of a server that has only v1beta3", RemovedAPIVersion, version("v1", "1.28", "v1beta3"), api},
		{"v1beta3 of a server that has it in 1.33", RemovedAPIVersion, version("v1beta3", "1.33", "v1", "v1beta3"), nil},
		{"v1beta3 in 1.31", RemovedAPIVersion, version("v1beta3", "1.31"), nil},
		{"v1beta2 in 1.28", RemovedAPIVersion, version("v1beta2", "1.28"), nil},
		{"v1beta3 in 1.31", DeprecatedVersion, version("v1beta3", "1.31"), warned},
		{"v1beta3 of a server that has it in 1.33", DeprecatedVersion, version("v1beta3", "1.33", "v1", "v1beta3"), warned},
		{"v1beta3 in an unknown release", DeprecatedVersion, version("v1beta3", ""), warned},
		{"v1beta3 in 1.29, which deprecates it", DeprecatedVersion, version("v1beta3", "1.29"), warned},
		{"v1beta3 in 1.28", DeprecatedVersion, version("v1beta3", "1.28"), nil},
		{"v1", DeprecatedVersion, version("v1", "1.33"), nil},
		{"assuredConcurrencyShares", RenamedField, unknown(renamed), []string{"error " + renamed}},
		{"another field", RenamedField, unknown("spec.color"), nil},
		{"another field", UnknownField, unknown("spec.color"), []string{"error spec.color"}},
		{"assuredConcurrencyShares", UnknownField, unknown(renamed), nil},
		{"precedence 0 is the default", InvalidObject, func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Spec.MatchingPrecedence = 0
		}, nil},
		{"a precedence out of range", InvalidObject, func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Spec.MatchingPrecedence = 10001
		}, []string{"error spec.matchingPrecedence"}},
		{"metadata that the server drops or sets", InvalidObject, func(_ *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			for _, metadata := range []*metav1.ObjectMeta{&schema.ObjectMeta, &level.ObjectMeta} {
				metadata.Namespace, metadata.GenerateName, metadata.Generation = "shop", "a-", -1
				metadata.DeletionGracePeriodSeconds = new(int64(-1))
				metadata.ManagedFields = []metav1.ManagedFieldsEntry{{Operation: "Copied"}}
			}
			schema.Status.Conditions = []flowcontrolv1.FlowSchemaCondition{{}, {}}
			level.Status.Conditions = []flowcontrolv1.PriorityLevelConfigurationCondition{{}, {}}
		}, nil},
		{"a label that the server rejects", InvalidObject, func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Labels = map[string]string{"a b": "c"}
		}, []string{"error metadata.labels"}},
		{"a hand of more queues than there are", InvalidObject, func(_ *Bundle, _ *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			level.Spec.Limited.LimitResponse.Queuing.HandSize = 65
		}, []string{"error spec.limited.limitResponse.queuing.handSize"}},
	}
}

// serverCases are the cases of FC5xx.
func serverCases() []checkCase {
	server := func(account string, group string, change func(*Bundle)) change {
		return func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			apiService := Object{Kind: "APIService", Name: "v1.metrics.example.org"}
			bundle.Facts.Servers = []Server{{Object: apiService, Namespace: "team", ServiceAccount: account, Requests: []flowcontrolv1.ResourcePolicyRule{{
				Verbs: []string{"*"}, APIGroups: []string{group}, Resources: []string{"*"}, ClusterScope: true, Namespaces: []string{"*"},
			}}}}
			bundle.Only = append(bundle.Only, apiService)
			change(bundle)
		}
	}
	send := func(level string) func(*Bundle) {
		return func(bundle *Bundle) {
			reviews := everything("reviews", 900, anAccount("team", "metrics"))
			reviews.Spec.PriorityLevelConfiguration.Name = level
			bundle.FlowSchemas = append(bundle.FlowSchemas, &reviews)
		}
	}
	return []checkCase{
		{"reviews in the built-in level of service accounts", RecursiveReviews, server("metrics", "metrics.example.org", func(*Bundle) {}), []string{"info"}},
		{"reviews in a level that also has the requests", RecursiveReviews, server("metrics", "", send("mine")), []string{"warning"}},
		{"reviews in a level without the requests", RecursiveReviews, server("metrics", "metrics.example.org", send("mine")), nil},
		{"reviews in a level that otherwise only a schema has that never matches", RecursiveReviews, server("metrics", "metrics.example.org", send("catch-all")), nil},
		{"reviews in a level of the server's own requests", RecursiveReviews, server("metrics", "metrics.example.org", func(bundle *Bundle) {
			send("own")(bundle)
			own := bundle.PriorityLevels[0].DeepCopy()
			own.Name, own.Spec = "own", bundle.PriorityLevels[len(bundle.PriorityLevels)-1].Spec
			bundle.PriorityLevels = append(bundle.PriorityLevels, own)
		}), nil},
		{"exempt reviews", RecursiveReviews, server("metrics", "metrics.example.org", send("exempt")), nil},
		{"an unknown service account", RecursiveReviews, server("", "metrics.example.org", func(*Bundle) {}), nil},
	}
}
