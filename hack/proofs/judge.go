package main

import "fmt"

// fault is a test that does not hold its sentence.
type fault struct {
	line int
	text string
}

// verdict is what a run of the tests says about a table.
type verdict struct {
	faults    []fault
	demanded  int // tests
	lacking   int // sentences
	longAlone int // sentences that the short lane does not hold
}

// judge asks of each sentence whether its tests ran and passed.
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
