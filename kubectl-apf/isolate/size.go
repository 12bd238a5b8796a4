package isolate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
)

const (
	// assumedPart is the part of a server's seats that an operator needs, unless it is known.
	assumedPart = 1.0 / 30
	// fewest are the seats of the smallest level: with one, a slow request delays all others.
	fewest = 2
)

// size is how many shares the new level gets, and why.
type size struct {
	shares int32
	why    []string
}

// findSize returns the size of the level. Its shares are added to the sum of all, so every other
// level pays in proportion to its own.
func (p *plan) findSize() (size, error) {
	total, sum := cmp.Or(p.Configuration.Total, configuration.DefaultTotal), 0
	for _, level := range p.current.Levels {
		sum += int(level.Config.Shares)
	}
	needed, why := p.need(total)
	if needed < fewest || needed > total/2 {
		return size{}, fmt.Errorf("--seats is %d: must be from %d, since with one seat a slow request delays all others, to %d, half of the %d seats of the API server", needed, fewest, total/2, total)
	}
	// The fewest shares with ceil(total*shares/(sum+shares)) >= needed, see package allocation.
	shares := (needed-1)*sum/(total-needed+1) + 1
	seats := func(shares, sum int) int { return (total*shares + sum - 1) / sum }
	var payers []string
	for _, name := range slices.Sorted(maps.Keys(p.current.Levels)) {
		own := int(p.current.Levels[name].Config.Shares)
		if before, after := seats(own, sum), seats(own, sum+shares); after < before {
			payers = append(payers, fmt.Sprintf("%s %d of its %d", name, before-after, before))
		}
	}
	return size{int32(shares), []string{
		why,
		fmt.Sprintf("Its %d shares are added to %d, and are %d of %d seats. Others pay with seats: %s.", shares, sum, seats(shares, sum+shares), total, strings.Join(payers, ", ")),
		"Each isolation takes from all levels, also from earlier ones.",
	}}, nil
}

// need returns the seats that the operator needs on one API server, and why.
func (p *plan) need(total int) (seats int, why string) {
	if p.Seats != 0 {
		return p.Seats, fmt.Sprintf("It needs %d seats of one API server: --seats says so.", p.Seats)
	}
	seats = max(fewest, int(math.Round(assumedPart*float64(total))))
	return seats, fmt.Sprintf("It needs %d seats of one API server: this is assumed, a thirtieth of %d. kubectl apf size says from a trace what the level needs, and --seats names that.", seats, total)
}
