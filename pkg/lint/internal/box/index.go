package box

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"

// Index finds the boxes that select a user. The zero value is empty. Boxes are numbered in the
// order they are added, and cannot be removed.
type Index struct {
	boxes []*Box
	// owners has the owner of each box.
	owners []int
	// byUsers has the boxes that have a set of users.
	byUsers map[userset.Set]selected
	// extended has the number of each list of boxes that is another one and a further box.
	extended map[extension]int
}

// selected are boxes in ascending order. Equal lists have the same number; it is 0 for none.
type selected struct {
	number int
	boxes  []int32
}

// extension is a list of boxes, by its number, and a further box.
type extension struct{ list, box int }

// Add adds the boxes of an owner, whose number is not negative. They must not change afterwards.
func (x *Index) Add(owner int, boxes []Box) {
	if x.byUsers == nil {
		x.byUsers, x.extended = map[userset.Set]selected{}, map[extension]int{}
	}
	for i := range boxes {
		number := len(x.boxes)
		x.boxes, x.owners = append(x.boxes, &boxes[i]), append(x.owners, owner)
		for _, set := range boxes[i].users.sets {
			x.byUsers[set] = x.extend(x.byUsers[set], number)
		}
	}
}

func (x *Index) extend(list selected, box int) selected {
	if last := len(list.boxes) - 1; last >= 0 && list.boxes[last] == int32(box) {
		return list // the rule names a subject twice
	}
	by := extension{list.number, box}
	number, known := x.extended[by]
	if !known {
		number = len(x.extended) + 1
		x.extended[by] = number
	}
	return selected{number, append(list.boxes, int32(box))}
}

// selection says which boxes select a user: the lists of the sets in wider.
type selection [4]int

// selecting returns the lists of the boxes whose users cover the set.
func (x *Index) selecting(set userset.Set) (selection, [4][]int32) {
	var numbers selection
	var lists [4][]int32
	for i, one := range wider(set) {
		if i == 0 || one != set {
			found := x.byUsers[one]
			numbers[i], lists[i] = found.number, found.boxes
		}
	}
	return numbers, lists
}
