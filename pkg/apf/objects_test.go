package apf_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

// statistics has the fields of k8s.io/apiserver's type since 0.34.
type statistics struct{ EstimatedAverageObjectSizeBytes, ObjectCount int64 }

func TestObjectsOfTakesEveryReleasesCounts(t *testing.T) {
	unknown := errors.New("unknown")
	for name, objects := range map[string]func(string) (int64, error){
		"up to 0.33": apf.ObjectsOf(func(name string) (int64, error) {
			if name == "pods" {
				return 7, nil
			}
			return 0, unknown
		}),
		"since 0.34": apf.ObjectsOf(func(name string) (statistics, error) {
			if name == "pods" {
				return statistics{1000, 7}, nil
			}
			return statistics{}, unknown
		}),
	} {
		t.Run(name, func(t *testing.T) {
			count, err := objects("pods")
			require.NoError(t, err)
			assert.EqualValues(t, 7, count)
			_, err = objects("others")
			require.ErrorIs(t, err, unknown)
		})
	}
	tracker := fcrequest.NewStorageObjectCountTracker()
	_, err := apf.ObjectsOf(tracker.Get)("pods")
	require.ErrorIs(t, err, fcrequest.ObjectCountNotFoundErr, "of the release of this test")
}

func TestObjectsOfRejectsOtherFunctions(t *testing.T) {
	assert.PanicsWithValue(t, "Get returns string: must return int64 or a struct with ObjectCount int64", func() {
		apf.ObjectsOf(func(string) (string, error) { return "", nil })
	})
	assert.Panics(t, func() { apf.ObjectsOf(func(string) (struct{ ObjectCount string }, error) { panic("never called") }) })
}

func TestSizesOfTakesEveryReleasesStatistics(t *testing.T) {
	sizes := apf.SizesOf(func(name string) (statistics, error) {
		if name == "pods" {
			return statistics{1000, 7}, nil
		}
		return statistics{2000, 7}, errors.New("unknown")
	})
	assert.EqualValues(t, 1000, sizes("pods"), "since 0.34")
	assert.Zero(t, sizes("others"))
	assert.Zero(t, apf.SizesOf(func(string) (int64, error) { return 7, nil })("pods"), "up to 0.33")
	assert.Zero(t, apf.SizesOf(func(string) (struct{ EstimatedAverageObjectSizeBytes string }, error) { panic("never called") })("pods"))
}
