// Package plantest judges planners: it draws random problems and legal plans,
// and finds the optimum of tiny problems by exhaustive search. It shares no
// logic with plan.Check or plan.Score, so that each can be tested against the
// other. It is for tests.
package plantest
