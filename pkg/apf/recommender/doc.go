// Package recommender runs the controller of package total for one engine. Every second
// it takes a sample of the machine, and every ten seconds it recommends a total by these
// samples and by what the seats of the engine were used for.
//
// In the mode Monitor the recommendation is shown and nothing follows it. While a sign
// lasts, the recommendation therefore moves on until it reaches a bound: it says in which
// direction the total is wrong, not by how much. In the mode Adaptive the recommendation
// becomes the total of the engine.
package recommender
