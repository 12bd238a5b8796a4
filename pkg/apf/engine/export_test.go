package engine

// RetiredSeries returns how many Series are kept that no flow schema has any more.
func (e *Engine) RetiredSeries() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.retired)
}
