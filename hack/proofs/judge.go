package main

import "fmt"

// fault is a missing or failed proof of a sentence.
type fault struct {
	line int
	text string
}

// verdict is the result of comparing a table with a run of the tests.
type verdict struct {
	faults    []fault
	demanded  int // named tests
	lacking   int // sentences without a passed test
	longAlone int // sentences that only the long lane proves
}

// judge checks for each sentence whether its tests ran and passed.
func judge(sentences []sentence, o *outcomes, long bool) verdict {
	var v verdict
	for _, s := range sentences {
		faults, short := len(v.faults), false
		for _, p := range s.proofs {
			short = short || !p.long
			if p.long && !long {
				continue
			}
			v.demanded++
			if why := o.fault(p.test); why != "" {
				v.faults = append(v.faults, fault{s.line, fmt.Sprintf("%q lacks its proof: %s %s", s.text, p.test, why)})
			}
		}
		if len(v.faults) > faults {
			v.lacking++
		}
		if !short {
			v.longAlone++
		}
	}
	return v
}
