// Command machocheck verifies the signature in a Mach-O file as far as that goes without Apple's tools: every hash of
// its code directory, and what it covers. It shares no code with what signs.
//
// With -extract it also writes code.bin and cms.der, so that `openssl cms -verify` can judge the certificate's part.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	identifier := flag.String("identifier", "", "the identifier the signature must have")
	kind := flag.String("kind", "adhoc", "adhoc, or runtime: signed by a certificate for the hardened runtime")
	extract := flag.String("extract", "", "the folder that gets code.bin and cms.der")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: machocheck [-identifier ID] [-kind adhoc|runtime] [-extract FOLDER] FILE")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *identifier, *kind, *extract); err != nil {
		fmt.Fprintf(os.Stderr, "machocheck: %s: %v\n", flag.Arg(0), err)
		os.Exit(1)
	}
}

func run(path, identifier, kind, extract string) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	s, err := parse(file)
	if err != nil {
		return err
	}
	if err := s.verify(file); err != nil {
		return err
	}
	if identifier != "" && s.code.identifier != identifier {
		return fmt.Errorf("identifier %q, want %q", s.code.identifier, identifier)
	}
	if err := s.is(kind); err != nil {
		return err
	}
	if extract != "" {
		for name, content := range map[string][]byte{"code.bin": s.code.raw, "cms.der": s.cms} {
			if err := os.WriteFile(filepath.Join(extract, name), content, 0o600); err != nil {
				return fmt.Errorf("extracting: %w", err)
			}
		}
	}
	fmt.Printf("%s: %s, %s, %d pages and %d other parts as signed\n", filepath.Base(path), s.code.identifier, strings.Join(s.code.flagNames(), "+"), len(s.code.pages), len(s.parts))
	return nil
}

// is says whether the signature is of the wanted kind.
func (s signature) is(kind string) error {
	adhoc, runtime := s.code.flags&flagAdhoc != 0, s.code.flags&flagRuntime != 0
	switch {
	case kind == "adhoc" && (!adhoc || len(s.cms) > 0):
		return fmt.Errorf("not signed ad hoc: flags %#x, a certificate's part of %d bytes", s.code.flags, len(s.cms))
	case kind == "runtime" && (adhoc || !runtime || len(s.cms) == 0):
		return fmt.Errorf("not signed by a certificate for the hardened runtime: flags %#x, a certificate's part of %d bytes", s.code.flags, len(s.cms))
	case kind != "adhoc" && kind != "runtime":
		return fmt.Errorf("no kind of signature %q", kind)
	}
	return nil
}
