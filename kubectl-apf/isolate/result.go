package isolate

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/diff"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/findings"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// result makes the objects, and proves what they do.
func (p *plan) result() (*Result, error) {
	objects, changes, err := p.effective()
	if err != nil {
		return nil, err
	}
	r := &Result{Name: p.name, Accounts: append([]source.Account{}, p.Accounts...), Demoted: p.Demote, Objects: objects, Diff: changes}
	if r.Findings, err = p.newFindings(objects); err != nil {
		return nil, err
	}
	r.Notes = p.notes
	return r, nil
}

// effective returns objects whose flow schemas all match requests, and what they change.
func (p *plan) effective() ([]Object, diff.Result, error) {
	for {
		propose := p.objects
		if p.Demote != "" {
			propose = p.demotion
		}
		objects, err := propose()
		if err != nil {
			return nil, diff.Result{}, err
		}
		comparison := diff.New(p.Configuration, applied(p.Configuration, objects), p.Now)
		changes := comparison.Result()
		if dropped, err := p.drop(changes.FlowSchemas); err != nil || !dropped {
			if err == nil {
				err = p.onlyTheirs(comparison.Moved())
			}
			return objects, changes, err
		}
	}
}

// drop leaves out a schema for leases or events that matches none, because an earlier one has
// them. It is an error if no other requests are left, or if a schema loses all requests.
func (p *plan) drop(changed []diff.FlowSchema) (bool, error) {
	for _, schema := range changed {
		switch {
		case schema.Name == p.name:
			return false, fmt.Errorf("FlowSchema %s would match no request: %s; raise the precedence of these", schema.Name, schema.Because)
		case schema.Matching == diff.Stops && p.Demote != "":
			p.notef("FlowSchema %s matches no request until the demotion is undone: it is for %s alone.", schema.Name, p.Demote)
		case schema.Matching == diff.Stops:
			return false, fmt.Errorf("FlowSchema %s already matches the requests of %s alone, and would match none afterwards: delete it first to move them", schema.Name, listOf(p.Accounts))
		case schema.Name == p.name+leasesSuffix:
			p.leases = nil
			p.notef("No flow schema is made for leases: %s.", schema.Because)
			return true, nil
		case schema.Name == p.name+eventsSuffix:
			p.events = nil
			p.notef("No flow schema is made for events: %s.", schema.Because)
			return true, nil
		}
	}
	return false, nil
}

// onlyTheirs is an error if requests of others move, which no rule permits.
func (p *plan) onlyTheirs(moved iter.Seq[string]) error {
	for user := range moved {
		if user != p.Demote && !slices.ContainsFunc(p.Accounts, func(a source.Account) bool {
			return user == a.User() || a.Name == everyAccount && strings.HasPrefix(user, serviceaccount.MakeUsername(a.Namespace, ""))
		}) {
			return fmt.Errorf("requests of others would move: of %q", user)
		}
	}
	return nil
}

// newFindings returns what package lint finds after the change and not before it.
func (p *plan) newFindings(objects []Object) ([]lint.Finding, error) {
	in := findings.Input{Below: p.Configuration, Facts: p.Facts, Now: p.Now}
	before, err := findings.Of(in)
	if err != nil {
		return nil, err
	}
	in.Files = filesOf(objects)
	in.Files.ServiceAccounts = map[string][]string{}
	for _, account := range p.Accounts { // they exist, or will
		in.Files.Namespaces = append(in.Files.Namespaces, account.Namespace)
		if account.Name != everyAccount {
			in.Files.ServiceAccounts[account.Namespace] = append(in.Files.ServiceAccounts[account.Namespace], account.Name)
		}
	}
	after, err := findings.Of(in)
	added := []lint.Finding{}
	for _, f := range after.Findings {
		if !slices.ContainsFunc(before.Findings, func(b lint.Finding) bool {
			return b.Code == f.Code && b.Object == f.Object && b.Field == f.Field
		}) {
			added = append(added, f)
		}
	}
	return added, err
}

// IsClean reports whether nothing that was found is a warning or an error.
func (r *Result) IsClean() bool {
	return !slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return f.Severity.AtLeast(lint.Warning) })
}

// whose names the service accounts for people.
func (r *Result) whose() string {
	if r.Demoted != "" {
		return "demotion of " + r.Demoted
	}
	if len(r.Accounts) == 1 && r.Accounts[0].Name == everyAccount {
		return "service accounts of namespace " + r.Accounts[0].Namespace
	}
	if len(r.Accounts) == 1 {
		return "service account " + r.Accounts[0].String()
	}
	return "service accounts " + listOf(r.Accounts)
}
