// Package internal has nothing yet.
package internal
