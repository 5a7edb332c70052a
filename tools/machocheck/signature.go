package main

import (
	"bytes"
	"crypto/sha256"
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
)

// Numbers of the format, from xnu's osfmt/kern/cs_blobs.h; the signature is big-endian on every machine.
const (
	loadCodeSignature = 0x1d
	magicSuperBlob    = 0xfade0cc0
	magicDirectory    = 0xfade0c02
	magicCMS          = 0xfade0b01
	slotDirectory     = 0
	slotCMS           = 0x10000
	hashSHA256        = 2
	flagAdhoc         = 0x2
	flagRuntime       = 0x10000
)

// signature is what a file carries at its end.
type signature struct {
	code  directory
	parts map[uint32][]byte // the signed parts besides the pages, by slot
	cms   []byte            // the certificate's part, DER; empty when signed ad hoc
	start int               // where the signature begins in the file
}

// directory is the code directory: the hashes, and what they are of.
type directory struct {
	raw        []byte
	flags      uint32
	identifier string
	limit      int // bytes of the file that are covered
	pageSize   int
	pages      [][]byte          // hash of each page
	special    map[uint32][]byte // hash of each other part, by slot; all zero when there is none
}

func (d directory) flagNames() []string {
	var names []string
	for flag, name := range map[uint32]string{flagAdhoc: "ad hoc", flagRuntime: "hardened runtime"} {
		if d.flags&flag != 0 {
			names = append(names, name)
		}
	}
	return names
}

func parse(file []byte) (signature, error) {
	start, size, err := place(file)
	if err != nil {
		return signature{}, err
	}
	super, err := blob(file[start:start+size], magicSuperBlob)
	if err != nil {
		return signature{}, fmt.Errorf("signature: %w", err)
	}
	s := signature{parts: map[uint32][]byte{}, start: start}
	for i := range binary.BigEndian.Uint32(super[8:]) {
		entry := 12 + 8*int(i)
		if entry+8 > len(super) {
			return s, errors.New("signature: its index is cut off")
		}
		slot, at := binary.BigEndian.Uint32(super[entry:]), int(binary.BigEndian.Uint32(super[entry+4:]))
		if at > len(super) {
			return s, fmt.Errorf("signature: slot %#x lies outside", slot)
		}
		if err := s.take(slot, super[at:]); err != nil {
			return s, err
		}
	}
	if s.code.raw == nil {
		return s, errors.New("signature: no code directory")
	}
	return s, nil
}

// place finds the signature in the file.
func place(file []byte) (start, size int, err error) {
	m, err := macho.NewFile(bytes.NewReader(file))
	if err != nil {
		return 0, 0, fmt.Errorf("reading as Mach-O: %w", err)
	}
	for _, l := range m.Loads {
		raw := l.Raw()
		if m.ByteOrder.Uint32(raw) != loadCodeSignature {
			continue
		}
		start, size = int(m.ByteOrder.Uint32(raw[8:])), int(m.ByteOrder.Uint32(raw[12:]))
		if start+size > len(file) || size < 12 {
			return 0, 0, errors.New("the signature lies outside the file")
		}
		if rest := len(file) - start - size; rest > 0 {
			return 0, 0, fmt.Errorf("%d bytes behind the signature, which it does not cover", rest)
		}
		return start, size, nil
	}
	return 0, 0, errors.New("no signature")
}

func (s *signature) take(slot uint32, content []byte) (err error) {
	switch slot {
	case slotDirectory:
		s.code, err = parseDirectory(content)
	case slotCMS:
		if content, err = blob(content, magicCMS); err == nil {
			s.cms = content[8:]
		}
	default:
		s.parts[slot], err = blob(content, 0)
	}
	if err != nil {
		return fmt.Errorf("signature, slot %#x: %w", slot, err)
	}
	return nil
}

// blob cuts b to the length it states and checks its magic number, unless that may be any.
func blob(b []byte, magic uint32) ([]byte, error) {
	if len(b) < 12 && magic != magicCMS || len(b) < 8 {
		return nil, errors.New("cut off")
	}
	if got := binary.BigEndian.Uint32(b); magic != 0 && got != magic {
		return nil, fmt.Errorf("magic number %#x, want %#x", got, magic)
	}
	n := int(binary.BigEndian.Uint32(b[4:]))
	if n < 8 || n > len(b) {
		return nil, fmt.Errorf("states %d bytes of %d", n, len(b))
	}
	return b[:n], nil
}

func parseDirectory(content []byte) (directory, error) {
	raw, err := blob(content, magicDirectory)
	if err != nil {
		return directory{}, err
	}
	if len(raw) < 44 {
		return directory{}, errors.New("cut off")
	}
	u := func(at int) int { return int(binary.BigEndian.Uint32(raw[at:])) }
	hashes, ident, specials, pages := u(16), u(20), u(24), u(28)
	d := directory{raw: raw, flags: uint32(u(12)), limit: u(32), pageSize: 1 << raw[39], special: map[uint32][]byte{}}
	if raw[36] != sha256.Size || raw[37] != hashSHA256 {
		return d, fmt.Errorf("hashes of kind %d, want SHA-256", raw[37])
	}
	if ident > len(raw) || hashes-specials*sha256.Size < 44 || hashes+pages*sha256.Size > len(raw) {
		return d, errors.New("its hashes lie outside")
	}
	name, _, found := bytes.Cut(raw[ident:], []byte{0})
	if !found {
		return d, errors.New("its identifier has no end")
	}
	d.identifier = string(name)
	for i := range pages {
		d.pages = append(d.pages, raw[hashes+i*sha256.Size:][:sha256.Size])
	}
	for i := 1; i <= specials; i++ {
		d.special[uint32(i)] = raw[hashes-i*sha256.Size:][:sha256.Size]
	}
	return d, nil
}

// verify compares every hash with what it is of.
func (s signature) verify(file []byte) error {
	if s.code.limit != s.start {
		return fmt.Errorf("the hashes cover %d bytes, but the signature begins at %d", s.code.limit, s.start)
	}
	if want := (s.code.limit + s.code.pageSize - 1) / s.code.pageSize; len(s.code.pages) != want {
		return fmt.Errorf("%d hashes for %d pages", len(s.code.pages), want)
	}
	for i, want := range s.code.pages {
		page := file[i*s.code.pageSize : min((i+1)*s.code.pageSize, s.code.limit)]
		if got := sha256.Sum256(page); !bytes.Equal(got[:], want) {
			return fmt.Errorf("page %d is not as signed", i)
		}
	}
	for slot, part := range s.parts {
		want, signed := s.code.special[slot]
		if got := sha256.Sum256(part); !signed || !bytes.Equal(got[:], want) {
			return fmt.Errorf("slot %#x is not as signed", slot)
		}
	}
	none := make([]byte, sha256.Size)
	for slot, want := range s.code.special {
		if s.parts[slot] == nil && !bytes.Equal(want, none) {
			return fmt.Errorf("slot %#x was signed and is missing", slot)
		}
	}
	return nil
}
