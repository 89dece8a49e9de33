package forecast

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ridge is linear regression with a penalty on the size of the coefficients,
// fitted from sums that grow by one observation at a time.
//
// Read as Bayesian: coefficient k has mean 0 and variance s²/penalty[k]
// beforehand, s² being the variance of the residuals. What has not been
// observed thus adds to the spread of a prediction instead of to its mean. s²
// itself starts from priorSigma with the weight of priorWeight observations.
type ridge struct {
	penalty []float64
	n       int // observations
	xtx     *mat.SymDense
	xty     *mat.VecDense
	yty     float64

	fitted  int // observations at the last fit
	beta    *mat.VecDense
	inverse *mat.SymDense // of xtx + penalty
	sigma   float64
	freedom float64 // degrees of freedom of sigma
	spread  map[float64]float64
}

const (
	priorSigma  = 0.4
	priorWeight = 4
)

// newRidge makes a regression without observations. Every penalty is above 0.
func newRidge(penalty []float64) *ridge {
	d := len(penalty)
	r := &ridge{
		penalty: penalty, xtx: mat.NewSymDense(d, nil), xty: mat.NewVecDense(d, nil),
		beta: mat.NewVecDense(d, nil), inverse: mat.NewSymDense(d, nil),
	}
	r.fit()
	return r
}

// observe adds an observation; x has one entry a penalty.
func (r *ridge) observe(x []float64, y float64) {
	v := mat.NewVecDense(len(x), x)
	r.xtx.SymRankOne(r.xtx, 1, v)
	r.xty.AddScaledVec(r.xty, y, v)
	r.yty += y * y
	r.n++
}

// refresh fits again once the observations have grown by a 64th.
func (r *ridge) refresh() {
	if r.n > r.fitted && r.n-r.fitted >= r.n/64 {
		r.fit()
	}
}

func (r *ridge) fit() {
	d := len(r.penalty)
	a := mat.NewSymDense(d, nil)
	a.CopySym(r.xtx)
	for k, p := range r.penalty {
		a.SetSym(k, k, a.At(k, k)+p)
	}
	r.fitted = r.n
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return // sums too far apart in size to add the penalty: keep the last fit
	}
	// Neither fails: a condition beyond 1e16 is reported and the result kept.
	_ = chol.SolveVecTo(r.beta, r.xty)
	_ = chol.InverseTo(r.inverse)

	used := 0.0 // degrees of freedom: the trace of inverse × xtx
	for i := range d {
		for k := range d {
			used += r.inverse.At(i, k) * r.xtx.At(i, k)
		}
	}
	var fit mat.VecDense
	fit.MulVec(r.xtx, r.beta)
	residual := r.yty - 2*mat.Dot(r.beta, r.xty) + mat.Dot(r.beta, &fit)
	r.freedom = max(float64(r.n)-used, 0) + priorWeight
	r.sigma = math.Sqrt((max(residual, 0) + priorWeight*priorSigma*priorSigma) / r.freedom)
	r.spread = map[float64]float64{}
}

// predict is the mean and the standard deviation of a new observation at x.
func (r *ridge) predict(x []float64) (mean, sd float64) {
	v := mat.NewVecDense(len(x), x)
	return mat.Dot(r.beta, v), r.sigma * math.Sqrt(1+max(mat.Inner(v, r.inverse, v), 0))
}

// deviations is how many standard deviations above the mean the quantile q of
// a prediction lies, by Student's t.
func (r *ridge) deviations(q float64) float64 {
	z, known := r.spread[q]
	if !known {
		z = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: r.freedom}.Quantile(q)
		r.spread[q] = z
	}
	return z
}
