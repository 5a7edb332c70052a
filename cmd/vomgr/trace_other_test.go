//go:build !linux

package main

// trace is for Linux.
func trace() int { return 1 }
