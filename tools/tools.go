// Package tools pins what makes a release and checks it; it has a module of its own, so that none of it enters vomgr's.
package tools
