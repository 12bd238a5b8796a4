package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

const (
	// MinKey is the least number of bytes of a key.
	MinKey = 16

	length       = 12
	nodePrefix   = "system:node:"
	tokenPrefix  = "system:bootstrap:"
	systemPrefix = "system:"
	namePrefix   = "metadata.name="
	anything     = "*"
)

// Pseudonyms replaces names. It is safe for concurrent use. Create one with NewPseudonyms.
type Pseudonyms struct {
	key []byte
	// schemas, levels and accounts are names that stay. accounts are NAMESPACE/NAME.
	schemas, levels, accounts map[string]bool
}

// NewPseudonyms returns the pseudonyms of a key, of MinKey bytes or more.
func NewPseudonyms(key []byte) (*Pseudonyms, error) {
	if len(key) < MinKey {
		return nil, errors.New("the key of pseudonyms must have 16 bytes or more")
	}
	p := &Pseudonyms{slices.Clone(key), map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, schema := range slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas) {
		p.schemas[schema.Name] = true
		for _, rule := range schema.Spec.Rules {
			for _, subject := range rule.Subjects {
				if subject.ServiceAccount != nil {
					p.accounts[subject.ServiceAccount.Namespace+"/"+subject.ServiceAccount.Name] = true
				}
			}
		}
	}
	for _, level := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		p.levels[level.Name] = true
	}
	return p, nil
}

// of returns the pseudonym of a name. Names of different kinds have different ones.
func (p *Pseudonyms) of(kind, name string) string {
	if name == "" || name == anything {
		return name
	}
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(kind + "\x00" + name))
	text := base32.StdEncoding.EncodeToString(mac.Sum(nil))
	return kind + "-" + strings.ToLower(text[:length])
}

// User returns the pseudonym of the name of a user.
func (p *Pseudonyms) User(name string) string {
	if namespace, account, err := serviceaccount.SplitUsername(name); err == nil {
		return serviceaccount.MakeUsername(p.Namespace(namespace), p.account(namespace, account))
	}
	for _, prefix := range []string{nodePrefix, tokenPrefix} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			return prefix + p.of("name", rest)
		}
	}
	if strings.HasPrefix(name, systemPrefix) && !strings.HasPrefix(name, serviceaccount.ServiceAccountUsernamePrefix) {
		return name
	}
	return p.of("user", name)
}

// account returns the pseudonym of the name of a service account.
func (p *Pseudonyms) account(namespace, name string) string {
	if p.accounts[namespace+"/"+name] {
		return name
	}
	return p.of("account", name)
}

// Group returns the pseudonym of the name of a group.
func (p *Pseudonyms) Group(name string) string {
	if namespace, found := strings.CutPrefix(name, serviceaccount.ServiceAccountGroupPrefix); found {
		return serviceaccount.ServiceAccountGroupPrefix + p.Namespace(namespace)
	}
	if strings.HasPrefix(name, systemPrefix) {
		return name
	}
	return p.of("group", name)
}

// Namespace returns the pseudonym of the name of a namespace.
func (p *Pseudonyms) Namespace(name string) string {
	switch name {
	case metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, "kube-node-lease":
		return name
	default:
		return p.of("ns", name)
	}
}

// FlowSchema returns the pseudonym of the name of a flow schema.
func (p *Pseudonyms) FlowSchema(name string) string {
	if p.schemas[name] {
		return name
	}
	return p.of("schema", name)
}

// PriorityLevel returns the pseudonym of the name of a priority level.
func (p *Pseudonyms) PriorityLevel(name string) string {
	if p.levels[name] {
		return name
	}
	return p.of("level", name)
}

// Request replaces the names in a request. It changes no shared value.
func (p *Pseudonyms) Request(r *trace.Request) {
	r.User = p.User(r.User)
	r.Groups = slices.Clone(r.Groups)
	for i, group := range r.Groups {
		r.Groups[i] = p.Group(group)
	}
	r.Replica, r.Client = p.of("replica", r.Replica), p.of("client", r.Client)
	if r.Resource == "namespaces" && r.APIGroup == "" {
		// Namespace and Name are both the name of the namespace.
		r.Name = p.Namespace(r.Name)
	} else {
		r.Name = p.of("name", r.Name)
	}
	r.Namespace = p.Namespace(r.Namespace)
	r.FlowSchema, r.PriorityLevel = p.FlowSchema(r.FlowSchema), p.PriorityLevel(r.PriorityLevel)
	if r.List != nil {
		list := *r.List
		list.LabelSelector = p.of("selector", list.LabelSelector)
		if name, found := strings.CutPrefix(list.FieldSelector, namePrefix); found && !strings.Contains(name, ",") {
			list.FieldSelector = namePrefix + p.of("name", name)
		} else {
			list.FieldSelector = p.of("selector", list.FieldSelector)
		}
		r.List = &list
	}
}

// Header replaces the names in a header.
func (p *Pseudonyms) Header(h *trace.Header) {
	h.Anonymized = true
	h.Replicas = slices.Clone(h.Replicas)
	for i, replica := range h.Replicas {
		h.Replicas[i] = p.of("replica", replica)
	}
	slices.Sort(h.Replicas)
}
