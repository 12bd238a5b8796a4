package classify

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// setOrder sets the schemas of the next version, their numbers and their ranks.
func (u *versionUpdate) setOrder(set []rules.Schema, removed []string) {
	gone := make([]bool, len(u.next.ranks))
	for i := range set {
		if number, known := u.ids[set[i].Name]; known {
			gone[number] = true
		}
	}
	for _, name := range removed {
		if number, known := u.ids[name]; known && !gone[number] {
			gone[number] = true
			delete(u.ids, name)
			u.free = append(u.free, number)
		}
	}
	schemas, order := make([]*rules.Schema, 0, len(u.order)+len(set)), make([]uint32, 0, len(u.order)+len(set))
	for i, number := range u.order {
		if !gone[number] {
			schemas, order = append(schemas, u.next.schemas[i]), append(order, number)
		}
	}
	for i := range set {
		schema := set[i]
		at, _ := slices.BinarySearchFunc(schemas, &schema, rules.Compare)
		schemas, order = slices.Insert(schemas, at, &schema), slices.Insert(order, at, u.numberOf(schema.Name))
	}
	u.order, u.next.schemas = order, schemas
	u.next.ranks = make([]uint32, u.numbers())
	for rank, number := range order {
		u.next.ranks[number] = uint32(rank)
	}
}

// numbers returns how many numbers of schemas there are, free ones included.
func (u *versionUpdate) numbers() int { return len(u.builder.resources.schemas) }

// numberOf returns the number of a schema, which may be new.
func (u *versionUpdate) numberOf(name string) uint32 {
	if number, known := u.ids[name]; known {
		return number
	}
	var number uint32
	if last := len(u.free) - 1; last >= 0 {
		number, u.free = u.free[last], u.free[:last]
	} else {
		number = uint32(u.numbers())
		u.builder.resources.schemas = append(u.builder.resources.schemas, nil)
		u.builder.urls.schemas = append(u.builder.urls.schemas, nil)
	}
	u.ids[name] = number
	return number
}
