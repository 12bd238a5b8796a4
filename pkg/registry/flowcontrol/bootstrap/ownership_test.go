package bootstrap

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestOwnershipOfTheSpec(t *testing.T) {
	for _, c := range []struct {
		name       string
		role       role
		annotation string
		generation int64
		server     bool
	}{
		{"a suggested object that says true is the server's", suggested, "true", 1, true},
		{"a suggested object that says true is the server's even after changes", suggested, "true", 7, true},
		{"a suggested object that says false is the user's", suggested, "false", 7, false},
		{"a suggested object that says false is the user's even if made so", suggested, "false", 1, false},
		{"a suggested object that says nothing and never changed is the server's", suggested, "absent", 1, true},
		{"a suggested object that says nothing and has changed is the user's", suggested, "absent", 2, false},
		{"a suggested object that says nonsense and never changed is the server's", suggested, "perhaps", 1, true},
		{"a suggested object that says nonsense and has changed is the user's", suggested, "perhaps", 2, false},
		{"an empty annotation is nonsense", suggested, "", 2, false},
		{"other spellings of false are false, as kube-apiserver reads them", suggested, "False", 1, false},
		{"other spellings of true are true, as kube-apiserver reads them", suggested, "1", 2, true},
		{"a mandatory object that says true is the server's", mandatory, "true", 7, true},
		{"a mandatory object that says false is the server's", mandatory, "false", 7, true},
		{"a mandatory object that says nonsense is the server's", mandatory, "perhaps", 7, true},
		{"a mandatory object that says nothing is the server's", mandatory, "absent", 7, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored := saying(newSchema("s", "l", 1), c.annotation)
			stored.Generation = c.generation
			require.Equal(t, c.server, serverOwns(c.role, stored))
		})
	}
}

func TestLeftover(t *testing.T) {
	for _, c := range []struct {
		name, annotation string
		builtIn          bool
		terminating      bool
		leftover         bool
	}{
		{"what says true and is not built in is a leftover", "true", false, false, true},
		{"what says true and is built in is none", "true", true, false, false},
		{"what says false is none", "false", false, false, false},
		{"what says nothing is none", "absent", false, false, false},
		{"what says nonsense is none", "perhaps", false, false, false},
		{"what waits for its finalizers is deleted already", "true", false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored := saying(newSchema("s", "l", 1), c.annotation)
			if c.terminating {
				stored.DeletionTimestamp = &metav1.Time{}
			}
			require.Equal(t, c.leftover, isLeftover(stored, c.builtIn))
		})
	}
}

// 107097: the value of the annotation was ignored.
func TestTheAnnotationIsMadeToSayTheTruth(t *testing.T) {
	for _, c := range []struct {
		name, before string
		owned        bool
		after        string
		written      bool
	}{
		{"nothing becomes true", "absent", true, "true", true},
		{"nothing becomes false", "absent", false, "false", true},
		{"nonsense becomes true", "perhaps", true, "true", true},
		{"nonsense becomes false", "perhaps", false, "false", true},
		{"a lie becomes true", "false", true, "true", true},
		{"a lie becomes false", "true", false, "false", true},
		{"true stays", "true", true, "true", false},
		{"false stays", "false", false, "false", false},
		{"the truth in another spelling stays", "TRUE", true, "TRUE", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			object := saying(newSchema("s", "l", 1), c.before)
			require.Equal(t, c.written, annotate(object, c.owned))
			require.Equal(t, c.after, said(object))
		})
	}
	t.Run("other annotations stay", func(t *testing.T) {
		object := newSchema("s", "l", 1)
		object.Annotations = map[string]string{"example.com/team": "blue"}
		require.True(t, annotate(object, false))
		require.Equal(t, "blue", object.Annotations["example.com/team"])
	})
}
