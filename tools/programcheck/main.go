// Command programcheck says whether programs are as they are to be released: without symbols and debugging information,
// and, as far as their system allows, without libraries. Linux: none; macOS and Windows: the system's own only.
package main

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: programcheck FILE...")
		os.Exit(2)
	}
	for _, path := range os.Args[1:] {
		what, err := check(path)
		if err != nil {
			fmt.Fprintf(os.Stderr, "programcheck: %s: %v\n", path, err)
			os.Exit(1)
		}
		fmt.Println(what)
	}
}

// check returns the system and processor the program is for.
func check(path string) (string, error) {
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		return "linux " + f.Machine.String(), checkELF(f)
	}
	if f, err := macho.Open(path); err == nil {
		defer f.Close()
		return "darwin " + f.Cpu.String(), checkMachO(f)
	}
	f, err := pe.Open(path)
	if err != nil {
		return "", errors.New("neither ELF nor Mach-O nor PE")
	}
	defer f.Close()
	return fmt.Sprintf("windows %#x", f.Machine), checkPE(f)
}

// bare refuses the names of sections that hold symbols or debugging information.
func bare(section string) error {
	name := strings.ToLower(strings.TrimLeft(section, "._"))
	if name == "symtab" || strings.HasPrefix(name, "debug") || strings.HasPrefix(name, "zdebug") {
		return fmt.Errorf("not stripped: section %s", section)
	}
	return nil
}

func checkELF(f *elf.File) error {
	for _, s := range f.Sections {
		if err := bare(s.Name); err != nil {
			return err
		}
	}
	dynamic := func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC }
	if slices.ContainsFunc(f.Progs, dynamic) {
		return errors.New("not static: it asks for a dynamic linker")
	}
	return nil
}

func checkMachO(f *macho.File) error {
	for _, s := range f.Sections {
		if err := bare(s.Name); err != nil {
			return err
		}
	}
	// What it takes from libraries stays in the table; what it defines itself (in a section) is what a debugger wants.
	if f.Symtab != nil {
		for _, s := range f.Symtab.Syms {
			if s.Sect != 0 {
				return fmt.Errorf("not stripped: symbol %s", s.Name)
			}
		}
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("reading its libraries: %w", err)
	}
	for _, l := range libraries {
		if !strings.HasPrefix(l, "/usr/lib/") && !strings.HasPrefix(l, "/System/Library/") {
			return fmt.Errorf("needs %s, which is not the system's", l)
		}
	}
	return nil
}

func checkPE(f *pe.File) error {
	for _, s := range f.Sections {
		// Go's linker makes a .symtab always; NumberOfSymbols says what is in it.
		if err := bare(s.Name); err != nil && s.Name != ".symtab" {
			return err
		}
	}
	if n := f.NumberOfSymbols; n > 0 {
		return fmt.Errorf("not stripped: %d symbols", n)
	}
	symbols, err := f.ImportedSymbols()
	if err != nil {
		return fmt.Errorf("reading its libraries: %w", err)
	}
	for _, s := range symbols {
		if _, library, _ := strings.Cut(s, ":"); !strings.EqualFold(library, "kernel32.dll") {
			return fmt.Errorf("needs %s of %s", s, library)
		}
	}
	return nil
}
