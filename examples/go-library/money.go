// Package money counts cents.
package money

// Add gives the sum.
func Add(a, b int) int { return a + b }
