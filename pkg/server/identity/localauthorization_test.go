package identity

import (
	"crypto/tls"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

func TestLocalAuthorizerWithoutWebhook(t *testing.T) {
	admin := &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}
	alice := &user.DefaultInfo{Name: user.KubeControllerManager, Groups: []string{ // no group but system:masters grants anything
		user.NodesGroup, user.MonitoringGroup, user.AllAuthenticated, "system:serviceaccounts", "kubeadm:cluster-admins", "cluster-admin",
	}}
	read := func(path string) authorizer.AttributesRecord {
		return authorizer.AttributesRecord{Verb: "get", Path: path}
	}
	resource := func(verb, path, subresource string) authorizer.AttributesRecord {
		return authorizer.AttributesRecord{
			Verb: verb, Path: path, APIGroup: "flowcontrol.apiserver.k8s.io", APIVersion: "v1",
			Resource: "flowschemas", Subresource: subresource, ResourceRequest: true,
		}
	}
	create := func(group, resource string) authorizer.AttributesRecord {
		return authorizer.AttributesRecord{Verb: "create", APIGroup: group, Resource: resource, ResourceRequest: true}
	}
	with := func(attributes authorizer.AttributesRecord, verb string) authorizer.AttributesRecord {
		attributes.Verb = verb
		return attributes
	}
	const allow, forbid = authorizer.DecisionAllow, authorizer.DecisionNoOpinion
	tests := []struct {
		name                    string
		attributes              authorizer.AttributesRecord
		admin, alice, anonymous authorizer.Decision
	}{
		{"health", read("/livez"), allow, allow, allow},
		{"health, older", read("/healthz"), allow, allow, allow},
		{"one check of health", read("/readyz/poststarthook/start-informers"), allow, allow, allow},
		{"what begins like health", read("/livezz"), allow, forbid, forbid},
		{"an object called like health", resource("get", "/livez", ""), allow, forbid, forbid},
		{"version", read("/version"), allow, allow, allow},
		{"version with a slash", read("/version/"), allow, allow, allow},
		{"whether there is a version", with(read("/version"), "head"), allow, forbid, forbid},
		{"below version", read("/version/x"), allow, forbid, forbid},
		{"writing the version", with(read("/version"), "post"), allow, forbid, forbid},
		{"groups", read("/apis"), allow, allow, forbid},
		{"resources of a version", read("/apis/flowcontrol.apiserver.k8s.io/v1"), allow, allow, forbid},
		{"the core group", read("/api"), allow, allow, forbid},
		{"OpenAPI v2", read("/openapi/v2"), allow, allow, forbid},
		{"OpenAPI v3 of a version", read("/openapi/v3/apis/flowcontrol.apiserver.k8s.io/v1"), allow, allow, forbid},
		{"writing to discovery", with(read("/apis"), "post"), allow, forbid, forbid},
		{"replacing discovery", with(read("/openapi/v2"), "put"), allow, forbid, forbid},
		{"what begins like discovery", read("/apisx"), allow, forbid, forbid},
		{"what begins like OpenAPI", read("/openapix"), allow, forbid, forbid},
		{"metrics", read("/metrics"), allow, forbid, forbid},
		{"the state of flow control", read("/debug/api_priority_and_fairness/dump_priority_levels"), allow, forbid, forbid},
		{"profiles", read("/debug/pprof/heap"), allow, forbid, forbid},
		{"the root", read("/"), allow, forbid, forbid},
		{"list objects", resource("list", objects, ""), allow, forbid, forbid},
		{"get an object", resource("get", objects+"/a", ""), allow, forbid, forbid},
		{"delete all objects", resource("deletecollection", objects, ""), allow, forbid, forbid},
		{"who am I", create(authenticationv1.GroupName, "selfsubjectreviews"), allow, allow, forbid},
		{"who am I, of another group", create("example.org", "selfsubjectreviews"), allow, forbid, forbid},
		{"not to create a review", with(create(authenticationv1.GroupName, "selfsubjectreviews"), "get"), allow, forbid, forbid},
		{"may I", create(authorizationv1.GroupName, "selfsubjectaccessreviews"), allow, allow, forbid},
		{"what may I", create(authorizationv1.GroupName, "selfsubjectrulesreviews"), allow, allow, forbid},
		{"may somebody else", create(authorizationv1.GroupName, "subjectaccessreviews"), allow, forbid, forbid},
		{"may somebody else, of another group", create("example.org", "selfsubjectaccessreviews"), allow, forbid, forbid},
		{"whose token is it", create(authenticationv1.GroupName, "tokenreviews"), allow, forbid, forbid},
	}
	decide := decider(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for who, want := range map[*user.DefaultInfo]authorizer.Decision{admin: test.admin, alice: test.alice, nobody: test.anonymous} {
				require.Equal(t, want, decide(who, test.attributes), who.Name)
			}
		})
	}
}

func TestPathsThatEverybodyMayUseMayOnlyBeRead(t *testing.T) {
	for name, flags := range map[string][]string{"alone": nil, "behind": {"--kubeconfig=" + newReviewer(t).kubeconfig(t), "--authentication-skip-lookup"}} {
		decide := decider(t, append(flags, "--authorization-always-allow-paths=/metrics,/debug/*,/livez")...)
		for _, path := range []string{"/metrics", "/debug/x", "/livez"} {
			for verb, want := range map[string]authorizer.Decision{
				"get": authorizer.DecisionAllow, "head": authorizer.DecisionAllow, "post": authorizer.DecisionNoOpinion, "put": authorizer.DecisionNoOpinion, "delete": authorizer.DecisionNoOpinion,
			} {
				require.Equal(t, want, decide(nobody, authorizer.AttributesRecord{Verb: verb, Path: path}), "%s: %s %s", name, verb, path)
			}
		}
		require.Equal(t, authorizer.DecisionNoOpinion, decide(nobody, authorizer.AttributesRecord{Verb: "get", Path: "/metricsx"}), name)
	}
}

func TestAuthorizationWebhookDecides(t *testing.T) {
	for flag, version := range map[string]string{"": "v1beta1", "--authorization-webhook-version=v1": "v1"} {
		t.Run("in "+version, func(t *testing.T) {
			users, webhook := newCA(t, "users"), newReviewer(t)
			webhook.allow = func(spec authorizationv1.SubjectAccessReviewSpec) bool {
				return len(spec.Groups) > 0 && spec.Groups[0] == "developers" && spec.ResourceAttributes != nil &&
					spec.ResourceAttributes.Verb == "list" && spec.ResourceAttributes.Resource == "flowschemas"
			}
			flags := []string{"--authorization-webhook-config-file=" + webhook.kubeconfig(t)}
			if flag != "" {
				flags = append(flags, flag)
			}
			server := newTestServer(t, newTestOptions(t, flags...), users.file)
			admin, alice, bob := users.client("admin", user.SystemPrivilegedGroup), users.client("alice", "developers"), users.client("bob", "guests")
			status := func(path string, who *tls.Certificate) int { return server.request(path, who, nil).Status }

			require.Equal(t, http.StatusOK, status(objects, admin))
			require.Equal(t, http.StatusOK, status("/livez", alice))
			require.Empty(t, webhook.received(), "system:masters and health need no webhook")

			require.Equal(t, http.StatusOK, status(objects, alice))
			require.Equal(t, http.StatusOK, status(objects, alice))
			require.Equal(t, []string{"authorization.k8s.io/" + version + " SubjectAccessReview"}, webhook.received(), "the second response is cached")
			require.Equal(t, http.StatusForbidden, status(objects+"/a", alice))
			require.Equal(t, http.StatusForbidden, status(objects, bob))
			require.Equal(t, http.StatusForbidden, status("/apis", alice), "the webhook decides about discovery too")
		})
	}
}

const listers = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: listers}
rules: [{apiGroups: [flowcontrol.apiserver.k8s.io], resources: [flowschemas], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: listers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: listers}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: developers}]
`

func TestRBACFileAllowsWhatItSays(t *testing.T) {
	users := newCA(t, "users")
	file := writeFile(t, "rbac.yaml", listers)
	server := newTestServer(t, newTestOptions(t, "--authorization-rbac-file="+file), users.file)
	alice, bob := users.client("alice", "developers"), users.client("bob", "guests")
	status := func(path string, who *tls.Certificate) int { return server.request(path, who, nil).Status }
	require.Equal(t, http.StatusOK, status(objects, alice))
	require.Equal(t, http.StatusForbidden, status(objects+"/a", alice))
	require.Equal(t, http.StatusForbidden, status(objects, bob))
	require.Equal(t, http.StatusOK, status("/apis", bob), "discovery as without a file")

	t.Run("and the webhook decides about the rest", func(t *testing.T) {
		webhook := newReviewer(t)
		webhook.allow = func(spec authorizationv1.SubjectAccessReviewSpec) bool { return spec.User == "bob" }
		server := newTestServer(t, newTestOptions(t, "--authorization-rbac-file="+file, "--authorization-webhook-config-file="+webhook.kubeconfig(t)), users.file)
		require.Equal(t, http.StatusOK, server.request(objects, alice, nil).Status)
		require.Empty(t, webhook.received())
		require.Equal(t, http.StatusOK, server.request(objects, bob, nil).Status)
	})
	t.Run("and an invalid one is rejected at the start", func(t *testing.T) {
		require.NoError(t, os.WriteFile(file, []byte("kind: Pod"), 0o600))
		_, err := apply(t, newTestOptions(t, "--authorization-rbac-file="+file), "")
		require.ErrorContains(t, err, "--authorization-rbac-file="+file+": document 1: ")
	})
}

func TestTheAuthorizationWebhookMayDeny(t *testing.T) {
	webhook := newReviewer(t)
	webhook.deny = func(spec authorizationv1.SubjectAccessReviewSpec) bool { return spec.User == "bob" }
	decide := decider(t, "--authorization-webhook-config-file="+webhook.kubeconfig(t))
	for name, want := range map[string]authorizer.Decision{"bob": authorizer.DecisionDeny, "alice": authorizer.DecisionNoOpinion} {
		require.Equal(t, want, decide(&user.DefaultInfo{Name: name}, authorizer.AttributesRecord{Verb: "get", Path: "/metrics"}), name)
	}
}

func TestNothingIsAllowedIfTheAuthorizationWebhookFails(t *testing.T) {
	users, webhook := newCA(t, "users"), newReviewer(t)
	webhook.status = http.StatusForbidden
	server := newTestServer(t, newTestOptions(t, "--authorization-webhook-config-file="+webhook.kubeconfig(t)), users.file)
	require.Equal(t, http.StatusInternalServerError, server.request(objects, users.client("alice"), nil).Status)
	require.Equal(t, http.StatusOK, server.request(objects, users.client("admin", user.SystemPrivilegedGroup), nil).Status)
}

func TestTTLsOfZeroOrLessDisableTheAuthorizationCache(t *testing.T) {
	for ttls, reviews := range map[[2]string]map[string]int{ // of those who are authorized, and of others
		{"0s", "0s"}:   {"alice": 2, "bob": 2},
		{"-1m", "-1m"}: {"alice": 2, "bob": 2},
		{"0s", "1h"}:   {"alice": 2, "bob": 1},
		{"1h", "0s"}:   {"alice": 1, "bob": 2},
	} {
		users, webhook := newCA(t, "users"), newReviewer(t)
		webhook.allow = func(spec authorizationv1.SubjectAccessReviewSpec) bool { return spec.User == "alice" }
		options := newTestOptions(t, "--authorization-webhook-config-file="+webhook.kubeconfig(t),
			"--authorization-webhook-cache-authorized-ttl="+ttls[0], "--authorization-webhook-cache-unauthorized-ttl="+ttls[1])
		require.Empty(t, options.Validate(), ttls)
		server := newTestServer(t, options, users.file)
		for name, status := range map[string]int{"alice": http.StatusOK, "bob": http.StatusForbidden} {
			certificate, before := users.client(name), len(webhook.received())
			require.Equal(t, status, server.request(objects, certificate, nil).Status)
			require.Equal(t, status, server.request(objects, certificate, nil).Status)
			require.Len(t, webhook.received(), before+reviews[name], "%s, %s", name, ttls)
		}
	}
}
