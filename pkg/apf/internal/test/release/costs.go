package release

import (
	"reflect"

	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// The fields of the statistics about stored objects, which k8s.io/apiserver has since 0.34
// where it had a number of objects before.
const (
	objectsField = "ObjectCount"
	sizeField    = "EstimatedAverageObjectSizeBytes"
)

// setStored sets what the library knows about the stored objects of one type.
func setStored(stored reflect.Value, objects, size int64) {
	if stored.Kind() != reflect.Struct {
		stored.SetInt(objects)
		return
	}
	stored.FieldByName(objectsField).SetInt(objects)
	stored.FieldByName(sizeField).SetInt(size)
}

// SetObjects tells a tracker the number of the stored objects of a type and their average
// size in bytes.
func SetObjects(tracker fcrequest.StorageObjectCountTracker, groupResource string, objects, size int64) {
	set := reflect.ValueOf(tracker).MethodByName("Set")
	stored := reflect.New(set.Type().In(1)).Elem()
	setStored(stored, objects, size)
	set.Call([]reflect.Value{reflect.ValueOf(groupResource), stored})
}

// NewWorkEstimator returns the library's estimator. known returns the number of the stored objects of
// a type and their average size in bytes.
func NewWorkEstimator(
	known func(groupResource string) (objects, size int64, err error),
	watchers func(*apirequest.RequestInfo) int,
	maxSeats func(priorityLevel string) uint64,
) fcrequest.WorkEstimatorFunc {
	constructor := reflect.ValueOf(fcrequest.NewWorkEstimator)
	get := constructor.Type().In(0)
	stored := reflect.MakeFunc(get, func(arguments []reflect.Value) []reflect.Value {
		objects, size, err := known(arguments[0].String())
		stored, problem := reflect.New(get.Out(0)).Elem(), reflect.New(get.Out(1)).Elem()
		setStored(stored, objects, size)
		if err != nil {
			problem.Set(reflect.ValueOf(err))
		}
		return []reflect.Value{stored, problem}
	})
	return constructor.Call([]reflect.Value{
		stored, reflect.ValueOf(watchers), reflect.ValueOf(fcrequest.DefaultWorkEstimatorConfig()), reflect.ValueOf(maxSeats),
	})[0].Interface().(fcrequest.WorkEstimatorFunc)
}
