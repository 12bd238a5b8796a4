package behind

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// testUsers sends requests as users of every kind. A webhook records how this
// server identified them.
func testUsers(t *testing.T, s *besideSite) {
	w := s.startWebhook(allow)
	s.register(t, "ValidatingWebhookConfiguration", "who", w)
	s.kubectl.Run(t, "create", "clusterrole", "creator", "--verb=create", "--resource=flowschemas."+group)
	s.kubectl.Run(t, "create", "clusterrolebinding", "creator", "--clusterrole=creator", "--group=system:authenticated")
	defer s.revoke(t, "creator")
	s.awaitWebhook(t, w)

	for _, user := range s.users(t) {
		t.Run(user.name, func(t *testing.T) {
			var seen []authenticationv1.UserInfo
			for i, way := range s.ways(t) {
				name := fmt.Sprintf("%s-%d", user.name, i)
				eventually.Holds(t, way.name+" the user may write", func(a *eventually.Attempt) {
					reply := send(a, way.as(user.credentials...), http.MethodPost, objectsPath+"?dryRun=All", flowSchema(name, 500))
					require.Equal(a, http.StatusCreated, reply.Code, reply.Body)
				})
				require.NotNil(t, w.about(name))
				seen = append(seen, w.about(name).UserInfo)
			}
			require.Equal(t, user.info.Username, seen[0].Username)
			require.Subset(t, seen[0].Groups, user.info.Groups)
			require.Equal(t, user.info.UID != "", seen[0].UID != "")
			for key, value := range user.info.Extra {
				require.Equal(t, value, seen[0].Extra[key])
			}
			require.Equal(t, seen[0].Username, seen[1].Username)
			require.ElementsMatch(t, seen[0].Groups, seen[1].Groups)
			require.Equal(t, seen[0].UID, seen[1].UID)
			require.Equal(t, seen[0].Extra, seen[1].Extra)
		})
	}
}

// revoke takes the permission to create from all users, and waits until
// kube-apiserver applies it.
func (s *besideSite) revoke(t *testing.T, binding string) {
	t.Helper()
	s.kubectl.Run(t, "delete", "clusterrolebinding", binding)
	eventually.Holds(t, "nobody may create schemas", func(a *eventually.Attempt) {
		answer := s.kubectl.Try(t, "", "auth", "can-i", "create", "flowschemas."+group, "--as=nobody", "--as-group=system:authenticated")
		require.Equal(a, "no\n", answer.Stdout, answer.Stderr)
	})
}

// user has credentials and the user info that must result from them.
type user struct {
	name        string
	credentials []credential
	info        authenticationv1.UserInfo // UID: any value requires that there is one
}

func (s *besideSite) users(t *testing.T) []user {
	t.Helper()
	const some = "some"
	return []user{
		{"certificate", []credential{withCertificate(s.clientCA.Client(t, "jane", "team-a", "team-b"))},
			authenticationv1.UserInfo{Username: "jane", Groups: []string{"team-a", "team-b", "system:authenticated"}}},
		{"service-account", []credential{s.serviceAccountToken(t, "robot")},
			authenticationv1.UserInfo{Username: "system:serviceaccount:default:robot", UID: some,
				Groups: []string{"system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"}}},
		{"impersonation", []credential{s.admin(t), impersonating(rest.ImpersonationConfig{
			UserName: "someone", UID: "42", Groups: []string{"a-group", "Ünïcode, with comma"},
			Extra: map[string][]string{"example.com/reason": {"one", "two"}}})},
			authenticationv1.UserInfo{Username: "someone", UID: some, Groups: []string{"a-group", "Ünïcode, with comma", "system:authenticated"},
				Extra: map[string]authenticationv1.ExtraValue{"example.com/reason": {"one", "two"}}}},
	}
}

// awaitWebhook waits until every replica calls the webhook.
func (s *besideSite) awaitWebhook(t *testing.T, w *webhook) {
	t.Helper()
	for i, pod := range s.Servers(t, replicas) {
		name, directly := fmt.Sprintf("await-%d", i), s.to(t, pod).as(s.admin(t))
		eventually.Holds(t, pod.Name()+" asks the webhook", func(a *eventually.Attempt) {
			send(a, directly, http.MethodPost, objectsPath+"?dryRun=All", flowSchema(name, 500))
			require.NotNil(a, w.about(name))
		})
	}
}

// flowSchema returns a FlowSchema in JSON.
func flowSchema(name string, precedence int) string {
	return fmt.Sprintf(`{"apiVersion": "flowcontrol.apiserver.k8s.io/v1beta3", "kind": "FlowSchema", "metadata": {"name": %q},
		"spec": {"matchingPrecedence": %d, "priorityLevelConfiguration": {"name": "global-default"}, "rules": [{
			"subjects": [{"kind": "User", "user": {"name": %q}}],
			"nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["/healthz"]}]}]}}`, name, precedence, name)
}
