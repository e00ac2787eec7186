void relu(const float* x, float* y, long elements) {
  for (long i = 0; i < elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}
