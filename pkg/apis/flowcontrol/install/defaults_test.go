package install_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

func decode(t *testing.T, text string) runtime.Object {
	t.Helper()
	codecs := serializer.NewCodecFactory(install.NewScheme(), serializer.EnableStrict)
	object, err := runtime.Decode(codecs.UniversalDecoder(flowcontrol.SchemeGroupVersion), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return object
}

func decodeFlowSchema(t *testing.T, version, spec string) *flowcontrol.FlowSchema {
	t.Helper()
	return decode(t, fmt.Sprintf(`{"apiVersion":"flowcontrol.apiserver.k8s.io/%s","kind":"FlowSchema","spec":%s}`, version, spec)).(*flowcontrol.FlowSchema)
}

func decodeLevel(t *testing.T, version, metadata, spec string) *flowcontrol.PriorityLevelConfiguration {
	t.Helper()
	return decode(t, fmt.Sprintf(`{"apiVersion":"flowcontrol.apiserver.k8s.io/%s","kind":"PriorityLevelConfiguration","metadata":%s,"spec":%s}`, version, metadata, spec)).(*flowcontrol.PriorityLevelConfiguration)
}

func versions() []string { return []string{"v1", "v1beta3"} }

func TestDefaultPrecedence(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       int32
	}{
		{"an omitted precedence is a thousand", `{}`, 1000},
		{"precedence zero is a thousand", `{"matchingPrecedence":0}`, 1000},
		{"a given precedence stays", `{"matchingPrecedence":1}`, 1},
		{"a negative precedence stays for validation to reject", `{"matchingPrecedence":-1}`, -1},
	} {
		for _, version := range versions() {
			t.Run(version+": "+c.name, func(t *testing.T) {
				if got := decodeFlowSchema(t, version, c.spec).Spec.MatchingPrecedence; got != c.want {
					t.Errorf("precedence is %d, want %d", got, c.want)
				}
			})
		}
	}
}

func TestDefaultShares(t *testing.T) {
	const bare, marked = `{}`, `{"annotations":{"` + preserveZeroShares + `":""}}`
	for _, c := range []struct {
		name, version, metadata, limited string
		want                             int32
	}{
		{"omitted shares are 30", "v1", bare, `{}`, 30},
		{"shares of null are 30", "v1", bare, `{"nominalConcurrencyShares":null}`, 30},
		{"zero shares stay zero", "v1", bare, `{"nominalConcurrencyShares":0}`, 0},
		{"the annotation of v1beta3 has no effect", "v1", marked, `{}`, 30},
		{"given shares stay", "v1", bare, `{"nominalConcurrencyShares":7}`, 7},
		{"omitted shares are 30", "v1beta3", bare, `{}`, 30},
		{"zero shares without the annotation are 30", "v1beta3", bare, `{"nominalConcurrencyShares":0}`, 30},
		{"zero shares with the annotation stay zero", "v1beta3", marked, `{"nominalConcurrencyShares":0}`, 0},
		{"omitted shares with the annotation are zero", "v1beta3", marked, `{}`, 0},
		{"the annotation counts whatever its value", "v1beta3", `{"annotations":{"` + preserveZeroShares + `":"false"}}`, `{}`, 0},
		{"another annotation does not count", "v1beta3", `{"annotations":{"note":""}}`, `{}`, 30},
		{"given shares stay", "v1beta3", bare, `{"nominalConcurrencyShares":7}`, 7},
		{"given shares stay with the annotation", "v1beta3", marked, `{"nominalConcurrencyShares":7}`, 7},
	} {
		t.Run(c.version+": "+c.name, func(t *testing.T) {
			level := decodeLevel(t, c.version, c.metadata, `{"limited":`+c.limited+`}`)
			if diff := cmp.Diff(&c.want, level.Spec.Limited.NominalConcurrencyShares); diff != "" {
				t.Errorf("shares (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefaultsOfLevels(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       flowcontrol.PriorityLevelConfigurationSpec
	}{
		{"an empty spec stays empty", `{}`, flowcontrol.PriorityLevelConfigurationSpec{}},
		{"a limited level lends nothing and borrows without bound", `{"limited":{}}`, flowcontrol.PriorityLevelConfigurationSpec{
			Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: ptr.To[int32](30), LendablePercent: ptr.To[int32](0),
			},
		}},
		{"lending and borrowing that are given stay", `{"limited":{"lendablePercent":0,"borrowingLimitPercent":0}}`, flowcontrol.PriorityLevelConfigurationSpec{
			Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: ptr.To[int32](30), LendablePercent: ptr.To[int32](0), BorrowingLimitPercent: ptr.To[int32](0),
			},
		}},
		{"an exempt level has no shares and lends nothing", `{"exempt":{}}`, flowcontrol.PriorityLevelConfigurationSpec{
			Exempt: &flowcontrol.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](0), LendablePercent: ptr.To[int32](0)},
		}},
		{"what an exempt level gives stays", `{"exempt":{"nominalConcurrencyShares":5,"lendablePercent":50}}`, flowcontrol.PriorityLevelConfigurationSpec{
			Exempt: &flowcontrol.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](5), LendablePercent: ptr.To[int32](50)},
		}},
	} {
		for _, version := range versions() {
			t.Run(version+": "+c.name, func(t *testing.T) {
				if diff := cmp.Diff(c.want, decodeLevel(t, version, `{}`, c.spec).Spec); diff != "" {
					t.Errorf("spec (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestDefaultQueuing(t *testing.T) {
	for _, c := range []struct {
		name, response string
		want           *flowcontrol.QueuingConfiguration
	}{
		{"no queuing stays none", `{"type":"Queue"}`, nil},
		{"empty queuing is 64 queues of 50, hands of 8", `{"queuing":{}}`, &flowcontrol.QueuingConfiguration{Queues: 64, HandSize: 8, QueueLengthLimit: 50}},
		{"zeros are defaulted", `{"queuing":{"queues":0,"handSize":0,"queueLengthLimit":0}}`, &flowcontrol.QueuingConfiguration{Queues: 64, HandSize: 8, QueueLengthLimit: 50}},
		{"each number is defaulted by itself", `{"queuing":{"queues":16}}`, &flowcontrol.QueuingConfiguration{Queues: 16, HandSize: 8, QueueLengthLimit: 50}},
		{"given numbers stay", `{"queuing":{"queues":1,"handSize":1,"queueLengthLimit":1}}`, &flowcontrol.QueuingConfiguration{Queues: 1, HandSize: 1, QueueLengthLimit: 1}},
	} {
		for _, version := range versions() {
			t.Run(version+": "+c.name, func(t *testing.T) {
				level := decodeLevel(t, version, `{}`, `{"limited":{"limitResponse":`+c.response+`}}`)
				if diff := cmp.Diff(c.want, level.Spec.Limited.LimitResponse.Queuing); diff != "" {
					t.Errorf("queuing (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestListsAreDefaultedToo(t *testing.T) {
	for _, version := range versions() {
		t.Run(version, func(t *testing.T) {
			schemas := decode(t, `{"apiVersion":"flowcontrol.apiserver.k8s.io/`+version+`","kind":"FlowSchemaList","items":[{}]}`).(*flowcontrol.FlowSchemaList)
			if got := schemas.Items[0].Spec.MatchingPrecedence; got != 1000 {
				t.Errorf("precedence of an item is %d, want 1000", got)
			}
			levels := decode(t, `{"apiVersion":"flowcontrol.apiserver.k8s.io/`+version+`","kind":"PriorityLevelConfigurationList","items":[{"spec":{"limited":{}}}]}`).(*flowcontrol.PriorityLevelConfigurationList)
			if diff := cmp.Diff(ptr.To[int32](30), levels.Items[0].Spec.Limited.NominalConcurrencyShares); diff != "" {
				t.Errorf("shares of an item (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPreserveZeroAnnotationIsOnlyInV1beta3(t *testing.T) {
	scheme := install.NewScheme()
	level := decodeLevel(t, "v1beta3", `{"annotations":{"note":"a","`+preserveZeroShares+`":"x"}}`, `{"limited":{}}`)
	if diff := cmp.Diff(map[string]string{"note": "a"}, level.Annotations); diff != "" {
		t.Errorf("annotations of the hub (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		version string
		want    map[string]string
	}{
		{"v1", map[string]string{"note": "a"}},
		{"v1beta3", map[string]string{"note": "a", preserveZeroShares: ""}},
	} {
		t.Run(c.version, func(t *testing.T) {
			object, err := scheme.ConvertToVersion(level, schema.GroupVersion{Group: flowcontrol.GroupName, Version: c.version})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, object.(metav1.Object).GetAnnotations()); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
		})
	}
}
