package histories

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListIsTheStateOfItsVersion(t *testing.T) {
	at15 := []Object{*object("three", 11, "b"), *object("one", 13, "a"), *object("two", 15, "b")}
	for _, test := range []struct {
		name  string
		list  List
		fault string
	}{
		{"the state", List{Version: 15, Objects: at15}, ""},
		{"the newest asked for", List{Version: 15, NotBefore: 14, Objects: at15}, ""},
		{"exactly what was asked for", List{Version: 15, NotBefore: 15, Exact: true, Objects: at15}, ""},
		{"a selection", List{Select: inA, Version: 15, Objects: at15[1:2]}, ""},
		{"stale", List{Version: 15, NotBefore: 16, Objects: at15}, "should be of 16 or later"},
		{"newer than the one asked for", List{Version: 15, NotBefore: 14, Exact: true, Objects: at15}, "should be exactly of 14"},
		{"an object missing", List{Version: 15, Objects: at15[1:]}, "is missing"},
		{"an object too much", List{Version: 15, Select: inA, Objects: at15[:2]}, "should not be there"},
		{"an object deleted since", List{Version: 16, Objects: at15}, "should not be there"},
		{"an object as it became later", List{Version: 14, Objects: at15}, "should be two@9"},
		{"an object twice", List{Version: 15, Objects: append(at15, at15[0])}, "twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := told(t).CheckList(test.list)
			if test.fault == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.fault)
		})
	}
}

func TestReadIsNotOlderThanAskedFor(t *testing.T) {
	for _, test := range []struct {
		name   string
		read   Read
		faulty bool
	}{
		{"as it was then", Read{"one", 14, object("one", 13, "a")}, false},
		{"as it became later", Read{"one", 14, object("one", 20, "a")}, false},
		{"away as it was in between", Read{"one", 14, nil}, false},
		{"absent at first", Read{"three", 10, nil}, false},
		{"older than that", Read{"one", 14, object("one", 8, "a")}, true},
		{"from before its end", Read{"one", 16, object("one", 13, "a")}, true},
		{"absent and there ever since", Read{"three", 11, nil}, true},
		{"with other content", Read{"one", 14, object("one", 13, "b")}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := told(t).CheckRead(test.read)
			if test.faulty {
				require.ErrorContains(t, err, "never was")
				return
			}
			require.NoError(t, err)
		})
	}
}
