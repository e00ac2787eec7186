void relu(const float* x, float* y, long count) {
#pragma omp parallel for simd
  for (long i = 0; i < count; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}
