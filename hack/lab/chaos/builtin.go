package chaos

import "fmt"

// CheckBuiltIn holds that the objects of the first state, which are the built-in ones,
// changed in nothing but their status.
func CheckBuiltIn(journal Journal) (errs []error) {
	builtIn := map[key]bool{}
	for _, write := range journal.First {
		builtIn[write.key()] = true
	}
	journal.each(func(before *Write, write Write) {
		if builtIn[write.key()] && !isStatus(before, write) {
			errs = append(errs, fmt.Errorf("a built-in object was written: %v", write))
		}
	})
	return errs
}
