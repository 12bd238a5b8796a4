package storage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/storage"
)

// A selector of nothing and one of everything have the same text.
func TestASelectorOfNothingIsNotOneOfEverything(t *testing.T) {
	of := func(l labels.Selector, f fields.Selector) identity {
		return identityOf("/configmaps/", storage.ListOptions{Predicate: storage.SelectionPredicate{Label: l, Field: f}})
	}
	everything := of(labels.Everything(), fields.Everything())
	assert.Equal(t, everything, of(nil, nil))
	assert.NotEqual(t, everything, of(labels.Nothing(), fields.Everything()))
	assert.NotEqual(t, everything, of(labels.Everything(), fields.Nothing()))
}
