package platform

import (
	"os"
	"time"

	"github.com/vexyart/vomgr/internal/world"
)

type Place struct{ TmuxSocket, TmuxSession string }

func PlaceOf(getenv func(string) string) Place { return Place{} }

type Way struct {
	Name       string
	Argv       []string
	Env        []string
	Dir        string
	Wait       time.Duration
	AsksPerson bool
	Direct     bool
}
type Request struct {
	Helper, Job, Project string
	Template             []string
	Place                Place
	World                world.World
}

func Ways(r Request) []Way                                { return nil }
func Open(w Way) (early <-chan error, err error)          { return nil, nil }
func SaveTerminal(f *os.File) (restore func())            { return func() {} }
func EndedBySignal(ps *os.ProcessState) (n int, ok bool) { return 0, false }
