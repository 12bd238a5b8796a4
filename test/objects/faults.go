package objects

import "slices"

// FaultsOf returns every fault that an object of the kind can have, as type and
// field. A comparison covers a validation rule only if the generated objects
// have its fault.
func FaultsOf(kind string) []string {
	common := faults("metadata", map[string][]string{
		"FieldValueRequired":  {"name"},
		"FieldValueForbidden": {"namespace"},
		"FieldValueInvalid": {
			"name", "generateName", "generation", "labels", "annotations", "finalizers", "finalizers[]",
			"ownerReferences", "ownerReferences.apiVersion", "managedFields[].operation",
		},
	})
	common = append(common, "FieldValueInvalid spec", "FieldValueRequired status.conditions[].type", "FieldValueDuplicate status.conditions[].type")
	if kind == "FlowSchema" {
		return slices.Concat(common, flowSchemaFaults())
	}
	return slices.Concat(common, levelFaults())
}

func flowSchemaFaults() []string {
	return slices.Concat(
		faults("spec", map[string][]string{
			"FieldValueRequired":     {"priorityLevelConfiguration.name", "rules[]", "rules[].subjects"},
			"FieldValueInvalid":      {"priorityLevelConfiguration.name", "matchingPrecedence"},
			"FieldValueNotSupported": {"distinguisherMethod.type"},
		}),
		faults("spec.rules[].subjects[]", map[string][]string{
			"FieldValueRequired": {
				"user", "user.name", "group", "group.name",
				"serviceAccount", "serviceAccount.name", "serviceAccount.namespace",
			},
			"FieldValueForbidden":    {"user", "group", "serviceAccount"},
			"FieldValueInvalid":      {"serviceAccount.name", "serviceAccount.namespace"},
			"FieldValueNotSupported": {"kind"},
		}),
		faults("spec.rules[].resourceRules[]", map[string][]string{
			"FieldValueRequired":     {"verbs", "apiGroups", "resources", "namespaces"},
			"FieldValueInvalid":      {"verbs", "apiGroups", "resources", "namespaces", "namespaces[]"},
			"FieldValueNotSupported": {"verbs"},
		}),
		faults("spec.rules[].nonResourceRules[]", map[string][]string{
			"FieldValueRequired":     {"verbs", "nonResourceURLs"},
			"FieldValueInvalid":      {"verbs", "nonResourceURLs", "nonResourceURLs[]"},
			"FieldValueNotSupported": {"verbs"},
		}),
	)
}

func levelFaults() []string {
	return slices.Concat(
		faults("metadata", map[string][]string{"FieldValueForbidden": {"annotations"}}),
		faults("spec", map[string][]string{
			"FieldValueRequired":     {"limited"},
			"FieldValueForbidden":    {"limited", "exempt"},
			"FieldValueInvalid":      {"type"},
			"FieldValueNotSupported": {"type"},
		}),
		faults("spec.exempt", map[string][]string{
			"FieldValueInvalid": {"nominalConcurrencyShares", "lendablePercent"},
		}),
		faults("spec.limited", map[string][]string{
			"FieldValueInvalid": {
				"nominalConcurrencyShares", "lendablePercent", "borrowingLimitPercent",
				"limitResponse.queuing.queues", "limitResponse.queuing.handSize", "limitResponse.queuing.queueLengthLimit",
			},
			"FieldValueRequired":     {"limitResponse.queuing"},
			"FieldValueForbidden":    {"limitResponse.queuing"},
			"FieldValueNotSupported": {"limitResponse.type"},
		}),
	)
}

// faults returns each type with each of its fields below path.
func faults(path string, byType map[string][]string) []string {
	var all []string
	for faultType, fields := range byType {
		for _, field := range fields {
			all = append(all, faultType+" "+path+"."+field)
		}
	}
	return all
}
