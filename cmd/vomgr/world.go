package main

import (
	"os"
	"time"

	"github.com/vexyart/vomgr/internal/world"
)

// outside builds the one view of the process's surroundings that everything below main works with.
func outside() world.World {
	home, _ := os.UserHomeDir() //nolint:forbidigo // this is where the outside world enters
	dir, _ := os.Getwd()        //nolint:forbidigo // likewise
	exe, _ := os.Executable()
	return world.World{
		Home: home, Env: os.Environ(), Dir: dir, Args: os.Args, Exe: exe,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Now: time.Now,
	}
}
