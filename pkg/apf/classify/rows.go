package classify

// digest turns schemas into rows and completes the vocabulary.
type digest struct {
	vocabulary *vocabulary
	pace       *pace
	// numbers holds the lists of many rows, one behind the other: a list each
	// would cost more to allocate than to fill.
	numbers []uint32
	// onlyWildcard is the list that most lists are.
	onlyWildcard []uint32
}

func newDigest(v *vocabulary, p *pace) *digest {
	return &digest{vocabulary: v, pace: p, onlyWildcard: []uint32{wildcard}}
}

// digestPage is the number of list elements that are allocated at once.
const digestPage = 4096

// take ends the list that was appended to numbers from start on.
func (d *digest) take(start int) []uint32 {
	return d.numbers[start:len(d.numbers):len(d.numbers)]
}

// room starts a list of at most n numbers and returns where it starts.
func (d *digest) room(n int) int {
	if cap(d.numbers)-len(d.numbers) < n {
		d.numbers = make([]uint32, 0, max(n, digestPage))
	}
	return len(d.numbers)
}

// rows returns the rows of the schemas, in order of rank, those of resource
// rules apart from the others.
func (d *digest) rows(schemas []Schema) (resources, urls []row) {
	resourceRules, urlRules := 0, 0
	for i := range schemas {
		for j := range schemas[i].Rules {
			resourceRules += len(schemas[i].Rules[j].ResourceRules)
			urlRules += len(schemas[i].Rules[j].NonResourceRules)
		}
	}
	resources, urls = make([]row, 0, resourceRules), make([]row, 0, urlRules)
	for rank := range schemas {
		for i := range schemas[rank].Rules {
			rule := &schemas[rank].Rules[i]
			d.pace.spend(rule.values())
			subjects := d.subjects(rule.Subjects)
			for j := range rule.ResourceRules {
				resources = append(resources, d.resourceRow(uint32(rank), subjects, &rule.ResourceRules[j]))
			}
			for j := range rule.NonResourceRules {
				urls = append(urls, d.urlRow(uint32(rank), subjects, &rule.NonResourceRules[j]))
			}
		}
	}
	d.vocabulary.paths.connect()
	return resources, urls
}

// values is how many values the lists of the rule hold.
func (r *Rule) values() int {
	n := len(r.Subjects)
	for i := range r.ResourceRules {
		one := &r.ResourceRules[i]
		n += len(one.Verbs) + len(one.APIGroups) + len(one.Resources) + len(one.Namespaces)
	}
	for i := range r.NonResourceRules {
		n += len(r.NonResourceRules[i].Verbs) + len(r.NonResourceRules[i].URLs)
	}
	return n
}

func (d *digest) subjects(subjects []Subject) []uint32 {
	start := d.room(len(subjects))
	for _, s := range subjects {
		if number, matches := d.vocabulary.subject(s); matches {
			d.numbers = append(d.numbers, number)
		}
	}
	return d.take(start)
}

func (d *digest) list(values []string, numbers *numbers) []uint32 {
	if len(values) == 1 && values[0] == All {
		return d.onlyWildcard
	}
	start := d.room(len(values))
	for _, value := range values {
		d.numbers = append(d.numbers, numbers.intern(value))
	}
	return d.take(start)
}

func (d *digest) resourceRow(rank uint32, subjects []uint32, rule *ResourceRule) row {
	v := d.vocabulary
	r := row{
		rank:       rank,
		subjects:   subjects,
		verbs:      d.list(rule.Verbs, &v.verbs),
		groups:     d.list(rule.APIGroups, &v.apiGroups),
		resources:  d.list(rule.Resources, &v.resources),
		namespaces: d.list(rule.Namespaces, &v.namespaces),
	}
	if rule.ClusterScope {
		r.whole = holdWildcard(r.verbs, r.groups, r.resources, r.namespaces)
		start := d.room(len(r.namespaces) + 1)
		d.numbers = append(append(d.numbers, r.namespaces...), clusterScope)
		r.namespaces = d.take(start)
	}
	return r
}

func (d *digest) urlRow(rank uint32, subjects []uint32, rule *NonResourceRule) row {
	start := d.room(2 * len(rule.URLs))
	d.numbers = d.vocabulary.paths.list(rule.URLs, d.numbers)
	urls := d.take(start)
	verbs := d.list(rule.Verbs, &d.vocabulary.verbs)
	return row{
		rank:       rank,
		subjects:   subjects,
		verbs:      verbs,
		groups:     urls,
		resources:  d.onlyWildcard,
		namespaces: d.onlyWildcard,
		whole:      holdWildcard(verbs, urls),
	}
}
