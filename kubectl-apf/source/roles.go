package source

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// Runner is a service account, or a workload whose pods have one.
type Runner struct {
	// Kind is ServiceAccount, Deployment, StatefulSet or DaemonSet.
	Kind, Namespace, Name string
}

const kindAccount = "ServiceAccount"

// workloadResource returns the resource of a kind of workload; "" if it is none.
func workloadResource(kind string) string {
	return map[string]string{"Deployment": "deployments", "StatefulSet": "statefulsets", "DaemonSet": "daemonsets"}[kind]
}

// String returns the runner as in "Deployment shop/web".
func (r Runner) String() string { return fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name) }

// Account is a service account.
type Account struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// String returns NAMESPACE/NAME.
func (a Account) String() string { return a.Namespace + "/" + a.Name }

// Roles are the objects of RBAC, and which service accounts there are.
type Roles struct {
	// Accounts are the service accounts of the runners that were asked for.
	Accounts            []Account
	ClusterRoles        []rbacv1.ClusterRole
	Roles               []rbacv1.Role
	ClusterRoleBindings []rbacv1.ClusterRoleBinding
	RoleBindings        []rbacv1.RoleBinding
	// Missing says what could not be read: then there may be further rights.
	Missing []replica.Missing

	// accounts are the service accounts of the runners of files; the name is empty for a
	// workload that names none.
	accounts map[Runner]Account
}

// workload is the part of a workload that is used.
type workload struct {
	Spec struct {
		Template struct {
			Spec struct {
				ServiceAccountName string `json:"serviceAccountName"`
				ServiceAccount     string `json:"serviceAccount"` // the old name of the field
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

func (w *workload) account() string {
	return cmp.Or(w.Spec.Template.Spec.ServiceAccountName, w.Spec.Template.Spec.ServiceAccount)
}

// add adds an object of a file, if its kind counts. namespace is for objects that name none.
func (r *Roles) add(other *otherKindError, namespace string) error {
	kind := other.kind.Kind
	switch {
	case other.kind.Group == rbacv1.GroupName && kind == "ClusterRole":
		return appendDecoded(&r.ClusterRoles, other.document, nil)
	case other.kind.Group == rbacv1.GroupName && kind == "ClusterRoleBinding":
		return appendDecoded(&r.ClusterRoleBindings, other.document, func(b *rbacv1.ClusterRoleBinding) { fillSubjects(b.Subjects, namespace) })
	case other.kind.Group == rbacv1.GroupName && kind == "Role":
		return appendDecoded(&r.Roles, other.document, func(o *rbacv1.Role) { o.Namespace = cmp.Or(o.Namespace, namespace) })
	case other.kind.Group == rbacv1.GroupName && kind == "RoleBinding":
		return appendDecoded(&r.RoleBindings, other.document, func(b *rbacv1.RoleBinding) {
			b.Namespace = cmp.Or(b.Namespace, namespace)
			fillSubjects(b.Subjects, b.Namespace)
		})
	case other.kind.Group == "apps" && workloadResource(kind) != "", other.kind.Group == "" && kind == kindAccount:
		return r.addRunner(other, cmp.Or(other.namespace, namespace))
	default:
		return nil
	}
}

func (r *Roles) addRunner(other *otherKindError, namespace string) error {
	account := other.name
	if other.kind.Kind != kindAccount {
		var w workload
		if err := json.Unmarshal(other.document, &w); err != nil {
			return err
		}
		account = w.account()
	}
	if r.accounts == nil {
		r.accounts = map[Runner]Account{}
	}
	r.accounts[Runner{other.kind.Kind, namespace, other.name}] = Account{namespace, account}
	return nil
}

// fillSubjects sets the namespace of service accounts that name none.
func fillSubjects(subjects []rbacv1.Subject, namespace string) {
	for i := range subjects {
		if subjects[i].Kind == rbacv1.ServiceAccountKind {
			subjects[i].Namespace = cmp.Or(subjects[i].Namespace, namespace)
		}
	}
}

func appendDecoded[O any](to *[]O, document []byte, fill func(*O)) error {
	var object O
	if err := json.Unmarshal(document, &object); err != nil {
		return err
	}
	if fill != nil {
		fill(&object)
	}
	*to = append(*to, object)
	return nil
}

// find returns the account of a runner in files. A binding that names an account is proof of
// it.
func (r *Roles) find(runner Runner) (account Account, found bool) {
	if account, found = r.accounts[runner]; found {
		return account, true
	}
	account = Account{runner.Namespace, runner.Name}
	names := func(subjects []rbacv1.Subject) bool {
		return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
			return s.Kind == rbacv1.ServiceAccountKind && s.Namespace == account.Namespace && s.Name == account.Name
		})
	}
	isBound := slices.ContainsFunc(r.ClusterRoleBindings, func(b rbacv1.ClusterRoleBinding) bool { return names(b.Subjects) }) ||
		slices.ContainsFunc(r.RoleBindings, func(b rbacv1.RoleBinding) bool { return names(b.Subjects) })
	return account, runner.Kind == kindAccount && isBound
}

// over lays the roles over others: an object replaces another of its name.
func (r *Roles) over(below Roles) {
	r.ClusterRoles = overlayRoles(below.ClusterRoles, r.ClusterRoles)
	r.Roles = overlayRoles(below.Roles, r.Roles)
	r.ClusterRoleBindings = overlayRoles(below.ClusterRoleBindings, r.ClusterRoleBindings)
	r.RoleBindings = overlayRoles(below.RoleBindings, r.RoleBindings)
	r.Missing = append(r.Missing, below.Missing...)
}

func overlayRoles[O any, P interface {
	*O
	metav1.Object
}](below, above []O,
) []O {
	name := func(o *O) Account { return Account{P(o).GetNamespace(), P(o).GetName()} }
	replaced := map[Account]bool{}
	for i := range above {
		replaced[name(&above[i])] = true
	}
	var out []O
	for i := range below {
		if !replaced[name(&below[i])] {
			out = append(out, below[i])
		}
	}
	return append(out, above...)
}

// Roles returns the roles of the cluster with the files' laid over them, and the service accounts
// of the runners. The error of a runner that does not exist, or that names no service account, says
// so.
func (o *overlaid) Roles(ctx context.Context, runners []Runner) (Roles, error) {
	files, err := o.files.read(ctx)
	if err != nil {
		return Roles{}, err
	}
	if err := files.Err(); err != nil {
		return Roles{}, err
	}
	out := files.Roles
	for _, runner := range runners {
		account, found := out.find(runner)
		if !found {
			if account, err = o.account(ctx, runner); err != nil {
				return Roles{}, err
			}
		}
		if account.Name == "" {
			return Roles{}, sentence("%s names no service account, so its pods share %q with all others in the namespace %s: set serviceAccountName in its pod template, or give --service-account=%s/default to isolate them all.",
				runner, "default", runner.Namespace, runner.Namespace)
		}
		if !slices.Contains(out.Accounts, account) {
			out.Accounts = append(out.Accounts, account)
		}
	}
	below, err := o.roles(ctx)
	out.over(below)
	return out, err
}

// withoutRoles is a base that has no roles and no runners.
type withoutRoles struct{}

func (withoutRoles) account(_ context.Context, runner Runner) (Account, error) { //nolint:unparam // as the base interface has it
	return Account{}, sentence("%s is in none of the files, and no cluster is asked: give its manifest with -f.", runner)
}

func (withoutRoles) roles(context.Context) (Roles, error) { return Roles{}, nil }

// account returns the service account of a runner.
func (c *cluster) account(ctx context.Context, runner Runner) (Account, error) {
	front, _, err := c.front()
	if err != nil {
		return Account{}, err
	}
	group, resource := "/apis/apps/v1", workloadResource(runner.Kind)
	if runner.Kind == kindAccount {
		group, resource = "/api/v1", "serviceaccounts"
	}
	var w workload
	err = front.getJSON(ctx, group+"/namespaces/"+runner.Namespace+"/"+resource+"/"+runner.Name, &w)
	switch {
	case apierrors.IsNotFound(err):
		return Account{}, sentence("%s does not exist in the cluster: correct the name, or give its manifest with -f if it is not installed yet.", runner)
	case err != nil:
		return Account{}, requestError(front.name, access{verb: "get", resource: resource, namespace: runner.Namespace}, err)
	case runner.Kind == kindAccount:
		return Account{runner.Namespace, runner.Name}, nil
	default:
		return Account{runner.Namespace, w.account()}, nil
	}
}

// roles lists the objects of RBAC. What cannot be read is in Missing.
func (c *cluster) roles(ctx context.Context) (Roles, error) {
	front, _, err := c.front()
	if err != nil {
		return Roles{}, err
	}
	o := &observer{client: front}
	var out Roles
	for _, page := range pagesOf[rbacv1.ClusterRoleList](ctx, o, rbacv1.GroupName, "clusterroles") {
		out.ClusterRoles = append(out.ClusterRoles, page.Items...)
	}
	for _, page := range pagesOf[rbacv1.RoleList](ctx, o, rbacv1.GroupName, "roles") {
		out.Roles = append(out.Roles, page.Items...)
	}
	for _, page := range pagesOf[rbacv1.ClusterRoleBindingList](ctx, o, rbacv1.GroupName, "clusterrolebindings") {
		out.ClusterRoleBindings = append(out.ClusterRoleBindings, page.Items...)
	}
	for _, page := range pagesOf[rbacv1.RoleBindingList](ctx, o, rbacv1.GroupName, "rolebindings") {
		out.RoleBindings = append(out.RoleBindings, page.Items...)
	}
	out.Missing = o.facts.Missing
	return out, nil
}
