package engine

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/mandatory"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// MandatoryLevels returns the priority levels that act where the configuration
// lacks them. They are those of k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap.
func MandatoryLevels() []prioritylevel.Config {
	return []prioritylevel.Config{
		{Name: mandatory.Exempt, Config: queueset.Config{Discipline: queueset.Exempt}},
		{
			Name:   mandatory.CatchAll,
			Config: queueset.Config{Discipline: queueset.Reject},
			Share:  allocation.Share{Shares: 5},
		},
	}
}

// MandatorySchemas returns the flow schemas that act where the configuration
// lacks them. They are those of k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap.
func MandatorySchemas() []classify.Schema {
	return []classify.Schema{
		{
			Name: mandatory.Exempt, Level: mandatory.Exempt, Precedence: 1,
			Rules: []classify.Rule{everythingBy("system:masters")},
		},
		{
			Name: mandatory.CatchAll, Level: mandatory.CatchAll, Precedence: 10000,
			Distinguisher: classify.ByUser,
			Rules:         []classify.Rule{everythingBy("system:unauthenticated", "system:authenticated")},
		},
	}
}

// everythingBy returns a rule that matches every request of the groups.
func everythingBy(groups ...string) classify.Rule {
	all := []string{classify.All}
	rule := classify.Rule{
		ResourceRules:    []classify.ResourceRule{{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all}},
		NonResourceRules: []classify.NonResourceRule{{Verbs: all, URLs: all}},
	}
	for _, group := range groups {
		rule.Subjects = append(rule.Subjects, classify.Subject{Kind: classify.Group, Name: group})
	}
	return rule
}
