//go:build !k8s0.35

package server

import (
	"testing"

	"github.com/stretchr/testify/assert"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

func TestAverageSizeIsThatOfTheStoredObjects(t *testing.T) {
	object := func(uid types.UID, message string) *flowcontrolv1.FlowSchema {
		return &flowcontrolv1.FlowSchema{
			ObjectMeta: metav1.ObjectMeta{Name: string(uid), UID: uid},
			Status:     flowcontrolv1.FlowSchemaStatus{Conditions: []flowcontrolv1.FlowSchemaCondition{{Message: message}}},
		}
	}
	small, large, grown := object("a", "x"), object("b", "a longer message"), object("a", "an even longer message than that")
	s := newObjectSizes()
	assert.Zero(t, s.mean.Load(), "it is not known")
	s.OnAdd(small, true)
	assert.EqualValues(t, small.Size(), s.mean.Load())
	s.OnAdd(large, false)
	assert.EqualValues(t, (small.Size()+large.Size())/2, s.mean.Load())
	s.OnUpdate(small, grown)
	assert.EqualValues(t, (grown.Size()+large.Size())/2, s.mean.Load())
	s.OnDelete(large)
	assert.EqualValues(t, grown.Size(), s.mean.Load())
	s.OnDelete(large)
	assert.EqualValues(t, grown.Size(), s.mean.Load(), "it was gone already")
	// The informer has missed the deletion, and an update before.
	s.OnDelete(cache.DeletedFinalStateUnknown{Key: "a", Obj: small})
	assert.Zero(t, s.mean.Load())
	s.OnAdd("no object", false)
	s.OnDelete(cache.DeletedFinalStateUnknown{Key: "a"})
	assert.Zero(t, s.mean.Load())
}
