package rules_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestAListCoversAndIntersectsByItsValues(t *testing.T) {
	all := []string{rules.All}
	long := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	for name, c := range map[string]struct {
		a, b              []string
		covers, intersect bool // the first value of b; each other
	}{
		"the wildcard alone":                  {all, []string{"x"}, true, true},
		"a value of the list":                 {[]string{"x", "y"}, []string{"y", "z"}, true, true},
		"another value":                       {[]string{"x"}, []string{"z"}, false, false},
		"the wildcard beside a value":         {[]string{rules.All, "x"}, []string{"y"}, false, false},
		"the wildcard, compared with a value": {[]string{"x"}, all, false, true},
		"long lists with one common value":    {long, []string{"z", "1", "2", "3"}, true, true},
		"long lists without any":              {long, []string{"0", "1", "2", "3"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.covers, rules.Covers(c.a, c.b[0]))
			assert.Equal(t, c.intersect, rules.Intersect(c.a, c.b))
			assert.Equal(t, c.intersect, rules.Intersect(c.b, c.a))
		})
	}
	assert.False(t, rules.Intersect(nil, all), "an empty list covers nothing")
	assert.False(t, rules.Covers(nil, "x"))
}

func TestAURLCoversItsPathAndWhatIsBelow(t *testing.T) {
	for name, c := range map[string]struct {
		a, b              string
		covers, intersect bool
	}{
		"all paths":                       {rules.All, "/x", true, true},
		"the path itself":                 {"/x", "/x", true, true},
		"a path below":                    {"/x", "/x/y", true, true},
		"a path below a pattern":          {"/x/*", "/x/y", true, true},
		"the path of a pattern":           {"/x/*", "/x", false, true},
		"a path that only begins alike":   {"/x", "/xy", false, false},
		"another path":                    {"/x", "/y", false, false},
		"a path above":                    {"/x/y", "/x", false, true},
		"a pattern below another pattern": {"/x/*", "/x/y/*", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.covers, rules.CoversPath(c.a, c.b))
			assert.Equal(t, c.intersect, rules.URLsIntersect(c.a, c.b))
			assert.Equal(t, c.intersect, rules.URLsIntersect(c.b, c.a))
		})
	}
}
