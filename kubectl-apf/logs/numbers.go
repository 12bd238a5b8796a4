package logs

import (
	"fmt"
	"strconv"
	"time"
)

// numbers reads the numbers of a line, and keeps the first error.
type numbers struct {
	values map[string]string
	err    error
}

func (n *numbers) fail(err error) {
	if n.err == nil {
		n.err = err
	}
}

// duration returns the value of a key; nil if there is none.
func (n *numbers) duration(key string) *time.Duration {
	text, has := n.values[key]
	if !has {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		n.fail(fmt.Errorf("has %s=%q, must be a duration that is not negative, such as 1.5s", key, text))
		return nil
	}
	return &d
}

// whole returns the value of a key; nil if there is none.
func (n *numbers) whole(key string) *uint64 {
	text, has := n.values[key]
	if !has {
		return nil
	}
	value, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		n.fail(fmt.Errorf("has %s=%q, must be a whole number", key, text))
		return nil
	}
	return &value
}
