// Package arith has the functions of real numbers, and the dense linear algebra, whose results
// reach masks, features, models and tables. They give the same bits on every processor. Those of
// the standard library do not: math.Exp is assembly on some processors, and elsewhere a compiler
// may fuse a product and a sum into one rounding.
//
// For the same reason products that are added are converted explicitly everywhere in this module,
// float64(a*b) + c, which keeps them apart (The Go Programming Language Specification, "Floating
// point operators"). .ci/fused finds the places where that was forgotten. Of package math only what
// is exact is used: Sqrt, Floor, Ceil, Round, Abs, Frexp, Ldexp.
package arith
