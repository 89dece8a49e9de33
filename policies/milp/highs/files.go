package highs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// DirVariable names the environment variable that says where the module is
// kept; without it, it is kept in the user's cache folder.
const DirVariable = "BERTH_SOLVER_DIR"

// ErrMissing is returned when the module has not been fetched.
var ErrMissing = errors.New("solver highs is not installed; `make solver` fetches it (npm is needed once)")

// Dir is the folder that keeps the module and its compiled form.
func Dir() (string, error) {
	if dir := os.Getenv(DirVariable); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder (%w); set %s", err, DirVariable)
	}
	return filepath.Join(cache, "berth"), nil
}

// ModulePath is where the module is kept.
func ModulePath() (string, error) {
	dir, err := Dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, PackageName+"-"+PackageVersion+".wasm"), nil
}

// Verify reports whether data has the SHA-256 checksum; what names it in the
// error.
func Verify(what string, data []byte, sum string) error {
	got := sha256.Sum256(data)
	if s := hex.EncodeToString(got[:]); s != sum {
		return fmt.Errorf("%s has checksum %s; %s is accepted", what, s, sum)
	}
	return nil
}

// Installed reports whether the module is there, without reading it.
func Installed() bool {
	path, err := ModulePath()
	if err != nil {
		return false
	}
	_, err = os.Stat(path)
	return err == nil
}

func readModule() ([]byte, error) {
	path, err := ModulePath()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMissing
	}
	if err != nil {
		return nil, fmt.Errorf("solver highs: %w", err)
	}
	if err := Verify(path, data, ModuleSum); err != nil {
		return nil, fmt.Errorf("solver highs: %w; delete it and run `make solver`", err)
	}
	return data, nil
}
