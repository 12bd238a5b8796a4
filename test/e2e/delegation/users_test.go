package delegation

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/rest"
)

// testUsers asks as users of every kind; a webhook tells who this server took
// them for.
func testUsers(t *testing.T, s *site) {
	w := s.startWebhook(allow)
	s.validating(t, "who", w)
	s.kubectl.Run(t, "create", "clusterrole", "creator", "--verb=create", "--resource=flowschemas.flowcontrol.apiserver.k8s.io")
	s.kubectl.Run(t, "create", "clusterrolebinding", "creator", "--clusterrole=creator", "--group=system:authenticated")
	defer s.revoke(t, "creator")
	s.awaitWebhook(t, w)

	for _, user := range s.users(t) {
		t.Run(user.name, func(t *testing.T) {
			var seen []authenticationv1.UserInfo
			for i, way := range s.ways(t) {
				name := fmt.Sprintf("%s-%d", user.name, i)
				eventually(t, way.name+" the user may write", func() bool {
					reply, err := trySend(t.Context(), way.as(user.credentials...), http.MethodPost, basePath+"/flowschemas?dryRun=All", schema(name, 500))
					return err == nil && reply.code == http.StatusCreated
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

// revoke takes the permission to create from everybody, and waits until
// kube-apiserver heeds it.
func (s *site) revoke(t *testing.T, binding string) {
	t.Helper()
	s.kubectl.Run(t, "delete", "clusterrolebinding", binding)
	eventually(t, "nobody may create", func() bool {
		return s.kubectl.Try(t, "", "auth", "can-i", "create", "flowschemas.flowcontrol.apiserver.k8s.io", "--as=nobody").ExitCode != 0
	})
}

// user is a user, by what he shows and what must arrive.
type user struct {
	name        string
	credentials []credential
	info        authenticationv1.UserInfo // UID: whether there is one
}

func (s *site) users(t *testing.T) []user {
	t.Helper()
	const some = "some"
	return []user{
		{"certificate", []credential{s.signedCertificate(t, "jane", "team-a", "team-b")},
			authenticationv1.UserInfo{Username: "jane", Groups: []string{"team-a", "team-b", "system:authenticated"}}},
		{"service-account", []credential{s.serviceAccountToken(t, "robot")},
			authenticationv1.UserInfo{Username: "system:serviceaccount:default:robot", UID: some,
				Groups: []string{"system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"}}},
		{"bootstrap-token", []credential{s.bootstrapToken(t)},
			authenticationv1.UserInfo{Username: "system:bootstrap:abcdef",
				Groups: []string{"system:bootstrappers", "system:bootstrappers:tests", "system:authenticated"}}},
		{"openid-connect", []credential{s.issuer.token(t, "joe", "dev", "ops")},
			authenticationv1.UserInfo{Username: "oidc:joe", Groups: []string{"oidc:dev", "oidc:ops", "system:authenticated"}}},
		{"impersonation", []credential{s.admin(t), impersonating(rest.ImpersonationConfig{
			UserName: "someone", UID: "42", Groups: []string{"a-group", "Ünïcode, with comma"},
			Extra: map[string][]string{"example.com/reason": {"one", "two"}}})},
			authenticationv1.UserInfo{Username: "someone", UID: some, Groups: []string{"a-group", "Ünïcode, with comma", "system:authenticated"},
				Extra: map[string]authenticationv1.ExtraValue{"example.com/reason": {"one", "two"}}}},
	}
}

// awaitWebhook waits until this server has heard of the webhook, on both ways
// and in every replica that the aggregator may draw.
func (s *site) awaitWebhook(t *testing.T, w *webhook) {
	t.Helper()
	for i, pod := range s.Servers(t, 3) {
		name := fmt.Sprintf("await-%d", i)
		direct := way{"directly", s.Direct(t, pod)}
		eventually(t, "the replica asks the webhook", func() bool {
			_, _ = trySend(t.Context(), direct.as(s.admin(t)), http.MethodPost, basePath+"/flowschemas?dryRun=All", schema(name, 500))
			return w.about(name) != nil
		})
	}
}

// schema is a schema as text.
func schema(name string, precedence int) string {
	return fmt.Sprintf(`{"apiVersion": "flowcontrol.apiserver.k8s.io/v1beta3", "kind": "FlowSchema", "metadata": {"name": %q},
		"spec": {"matchingPrecedence": %d, "priorityLevelConfiguration": {"name": "global-default"}, "rules": [{
			"subjects": [{"kind": "User", "user": {"name": %q}}],
			"nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["/healthz"]}]}]}}`, name, precedence, name)
}
