// Package arch keeps the arrows between vomgr's packages: its test fails when a package imports what it must not.
package arch
