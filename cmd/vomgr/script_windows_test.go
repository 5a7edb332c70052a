package main

import "github.com/rogpeppe/go-internal/testscript"

// cmdFifo is for systems on which scripts run.
func cmdFifo(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no named pipes in a folder") }

// endBy is for systems that have signals.
func endBy(int) {}
