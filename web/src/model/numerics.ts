// The quantile and the Cholesky decomposition, as the program computes them (src/model/uncertainty/draws_of_weights.cpp).

/** The p-quantile of the values, interpolated at position p (n + 1). Sorts the values in place. */
export function quantile(values: Float64Array, p: number): number {
  values.sort();
  const last = values.length - 1;
  const at = Math.min(Math.max(p * (last + 2) - 1, 0), last);
  const below = Math.floor(at);
  const low = values[below] as number;
  const high = values[Math.min(below + 1, last)] as number;
  return low + (at - below) * (high - low);
}

/** The lower triangular L with L L' = C, a symmetric n × n matrix that may be singular. */
export function cholesky(covariance: Float64Array, n: number): Float64Array {
  const lower = new Float64Array(n * n);
  const at = (i: number, j: number): number => lower[i * n + j] as number;
  for (let j = 0; j < n; ++j) {
    let rest = covariance[j * n + j] as number;
    for (let k = 0; k < j; ++k) rest -= at(j, k) ** 2;
    if (!(rest > 0)) continue; // a singular C leaves a variance of 0, up to rounding; the column stays 0
    const pivot = Math.sqrt(rest);
    lower[j * n + j] = pivot;
    for (let i = j + 1; i < n; ++i) {
      let sum = covariance[i * n + j] as number;
      for (let k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
      lower[i * n + j] = sum / pivot;
    }
  }
  return lower;
}
