package highs

// Release of the npm package that this package runs, and the checksums of the
// archive and of the module in it (SHA-256, hexadecimal).
const (
	PackageName    = "highs"
	PackageVersion = "1.15.3"
	ArchiveSum     = "218533577886c69023739024bb92cfc2831ba45ff1fd1fd981753c04cded9793"
	ModuleSum      = "528be4365bea1d4188988646b244263f50320df55782e14d6af5bce7cd45c840"
)

// exports maps functions of HiGHS's C interface to the short names under
// which the module of ModuleSum exports them. Facts read from build/highs.js
// of the same package; a test reads them again.
var exports = map[string]string{
	"Highs_create":               "F",
	"Highs_destroy":              "G",
	"Highs_getDoubleInfoValue":   "Ba",
	"Highs_getInt64InfoValue":    "Ca",
	"Highs_getIntInfoValue":      "Aa",
	"Highs_getModelStatus":       "Ga",
	"Highs_getObjectiveValue":    "Ka",
	"Highs_getSizeofHighsInt":    "Yb",
	"Highs_getSolution":          "Ea",
	"Highs_passMip":              "V",
	"Highs_run":                  "N",
	"Highs_setBoolOptionValue":   "ia",
	"Highs_setDoubleOptionValue": "ka",
	"Highs_setIntOptionValue":    "ja",
	"Highs_setSolution":          "Va",
	"Highs_version":              "H",
	"free":                       "tc",
	"malloc":                     "uc",
}

// Exports that carry no C name.
const (
	memoryExport       = "u"
	constructorsExport = "v"
)
