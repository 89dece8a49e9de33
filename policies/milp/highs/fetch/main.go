// Command fetch puts the HiGHS module where package highs looks for it. It
// takes it from the npm package of that name at a fixed version and checks
// both checksums; when the module is there already it does nothing.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"berth/policies/milp/highs"
)

func main() {
	path, err := fetch()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}

// fetch returns where the module is.
func fetch() (string, error) {
	path, err := highs.ModulePath()
	if err != nil {
		return "", err
	}
	if data, err := os.ReadFile(path); err == nil && highs.Verify(path, data, highs.ModuleSum) == nil {
		return path, nil
	}
	archive, err := pack()
	if err != nil {
		return "", err
	}
	if err := highs.Verify("the npm archive", archive, highs.ArchiveSum); err != nil {
		return "", err
	}
	module, err := member(archive, "package/build/highs.wasm")
	if err != nil {
		return "", err
	}
	if err := highs.Verify("highs.wasm", module, highs.ModuleSum); err != nil {
		return "", err
	}
	return path, install(path, module)
}

// pack lets npm download the archive and returns its bytes.
func pack() (_ []byte, err error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, errors.New("npm is not on PATH; it is needed once, to download the solver (Debian: apt-get install npm)")
	}
	dir, err := os.MkdirTemp("", "berth-solver-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cmd := exec.Command(npm, "pack", "--silent", highs.PackageName+"@"+highs.PackageVersion)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack: %w\n%s", err, bytes.TrimSpace(out))
	}
	return os.ReadFile(filepath.Join(dir, highs.PackageName+"-"+highs.PackageVersion+".tgz"))
}

// member reads one file of a gzipped tar archive.
func member(archive []byte, name string) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the npm archive has no %s", name)
		}
		if err != nil {
			return nil, err
		}
		if h.Name == name {
			return io.ReadAll(r)
		}
	}
}

// install writes beside and renames, so that no half file is ever found.
func install(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "highs-*.part")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
