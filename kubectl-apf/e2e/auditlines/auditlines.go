// Package auditlines makes lines of audit logs for tests.
package auditlines

import (
	"encoding/json"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// Received is when the request of an event of Of was received.
func Received() time.Time { return time.Date(2026, time.November, 22, 10, 0, 0, 0, time.UTC) }

// Of returns the event, as kube-apiserver writes it, of a request that was answered 200 after a time. It
// has the audit ID "1", and what change sets.
func Of(verb, uri, user string, took time.Duration, change func(*auditv1.Event)) string {
	event := &auditv1.Event{
		TypeMeta: metav1.TypeMeta{Kind: "Event", APIVersion: auditv1.SchemeGroupVersion.String()},
		Level:    auditv1.LevelMetadata, AuditID: "1", Stage: auditv1.StageResponseComplete,
		Verb: verb, RequestURI: uri, User: authenticationv1.UserInfo{Username: user, Groups: []string{"system:authenticated"}},
		ResponseStatus:           &metav1.Status{Code: 200},
		RequestReceivedTimestamp: metav1.NewMicroTime(Received()), StageTimestamp: metav1.NewMicroTime(Received().Add(took)),
	}
	if change != nil {
		change(event)
	}
	line, err := json.Marshal(event)
	if err != nil {
		panic(err) // no value of an event
	}
	return string(line)
}
