package engine

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// MandatoryLevels returns the priority levels that act where the configuration lacks them. They
// equal the objects of k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap.
func MandatoryLevels() []LevelConfig {
	return []LevelConfig{
		{Name: rules.Exempt, Config: queueset.Config{Discipline: queueset.Exempt}},
		{
			Name:   rules.CatchAll,
			Config: queueset.Config{Discipline: queueset.Reject},
			Share:  allocation.Share{Shares: 5},
		},
	}
}

// MandatorySchemas returns the flow schemas that act where the configuration lacks them. They equal
// the objects of k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap.
func MandatorySchemas() []rules.Schema {
	return []rules.Schema{
		{
			Name: rules.Exempt, Level: rules.Exempt, Precedence: 1,
			Rules: []rules.Rule{everythingBy("system:masters")},
		},
		{
			Name: rules.CatchAll, Level: rules.CatchAll, Precedence: 10000,
			Distinguisher: rules.ByUser,
			Rules:         []rules.Rule{everythingBy("system:unauthenticated", "system:authenticated")},
		},
	}
}

// everythingBy returns a rule that matches every request of the groups.
func everythingBy(groups ...string) rules.Rule {
	all := []string{rules.All}
	rule := rules.Rule{
		ResourceRules:    []rules.ResourceRule{{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all}},
		NonResourceRules: []rules.NonResourceRule{{Verbs: all, URLs: all}},
	}
	for _, group := range groups {
		rule.Subjects = append(rule.Subjects, rules.Subject{Kind: rules.Group, Name: group})
	}
	return rule
}
