// Package money counts cents.
package money
