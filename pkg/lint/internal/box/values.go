package box

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// fewValues is how many values are searched one by one: a map would cost more.
const fewValues = 8

// values is a list of a rule, to be searched.
type values struct {
	list  []string
	all   bool
	known map[string]struct{} // nil for few values
}

func newValues(list []string) values {
	v := values{list: list, all: rules.IsAll(list)}
	if len(list) > fewValues {
		v.known = make(map[string]struct{}, len(list))
		for _, value := range list {
			v.known[value] = struct{}{}
		}
	}
	return v
}

func (v *values) elements() []string { return v.list }

func (v *values) has(value string) bool {
	if v.known == nil {
		return slices.Contains(v.list, value)
	}
	_, found := v.known[value]
	return found
}

// covers is rules.Covers.
func (v *values) covers(value string) bool { return v.all || v.has(value) }

// intersects is rules.Intersect.
func (v *values) intersects(other list) bool {
	o := other.(*values)
	if v.all || o.all {
		return len(v.list) > 0 && len(o.list) > 0
	}
	if len(v.list) > len(o.list) {
		v, o = o, v
	}
	return slices.ContainsFunc(v.list, o.has)
}

// meet returns the values that both cover: a wildcard leaves the values of the other.
func (v *values) meet(other list) []string {
	o := other.(*values)
	if v.all {
		return o.list
	}
	if o.all {
		return v.list
	}
	return slices.DeleteFunc(slices.Clone(v.list), func(value string) bool { return !o.has(value) })
}
