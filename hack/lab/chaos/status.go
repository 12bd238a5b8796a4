package chaos

import (
	"fmt"
	"time"
)

const (
	// spare is how many writes of a status within a minute need no reason: one of each
	// server, as after a start.
	spare = 3
	// follow is how many writes may follow a reason: one, and there and back by each of
	// two servers that see the reason later.
	follow = 5
)

// CheckStatus holds that servers do not fight over the status of schemas. A status
// changes when the schema is created, or its level is created or deleted. Writes beyond
// what follows from that, by object and minute, are the sign of a fight.
func CheckStatus(journal Journal) (errs []error) {
	reasons := map[minuteOf]int{}
	writes := map[minuteOf]int{}
	journal.each(func(before *Write, write Write) {
		switch {
		case isStatus(before, write):
			writes[minuteOf{write.Name, minute(write)}]++
		case write.Resource == Schemas && before == nil:
			reasons[minuteOf{write.Name, minute(write)}]++
		}
	})
	levels := levelsOf(journal)
	journal.each(func(before *Write, write Write) {
		if write.Resource != Levels || before != nil && !write.Deleted {
			return
		}
		for schema, level := range levels {
			if level == write.Name {
				reasons[minuteOf{schema, minute(write)}]++
			}
		}
	})
	for at, count := range writes {
		// A write may follow its reason in the next minute, as may what waits for the
		// limit of writes a minute.
		allowed := spare + follow*(reasons[at]+reasons[minuteOf{at.schema, at.minute - 1}])
		if count > allowed {
			errs = append(errs, fmt.Errorf("the status of %s was written %d times in minute %d, and there is reason for %d", at.schema, count, at.minute, allowed))
		}
	}
	return errs
}

// minuteOf is a minute of a schema.
type minuteOf struct {
	schema string
	minute int
}

func minute(write Write) int { return int(write.At / time.Minute) }

// levelsOf returns the level of each schema. The schemas of a run keep theirs.
func levelsOf(journal Journal) map[string]string {
	levels := map[string]string{}
	for _, writes := range [][]Write{journal.First, journal.Writes} {
		for _, write := range writes {
			if write.Level != "" {
				levels[write.Name] = write.Level
			}
		}
	}
	return levels
}

// StatusWrites returns the most writes of one object's status in one minute.
func StatusWrites(journal Journal) (most int) {
	writes := map[minuteOf]int{}
	journal.each(func(before *Write, write Write) {
		if isStatus(before, write) {
			at := minuteOf{write.Name, minute(write)}
			writes[at]++
			most = max(most, writes[at])
		}
	})
	return most
}
