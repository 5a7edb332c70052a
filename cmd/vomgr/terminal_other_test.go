//go:build !linux

package main

// terminal is for Linux.
func terminal() int { return 99 }
