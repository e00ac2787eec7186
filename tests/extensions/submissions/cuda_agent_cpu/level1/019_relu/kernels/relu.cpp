// The same without CUDA, for machines that have none.
extern "C" void relu_launcher(float* y, const float* x, long long elements, int) {
  for (long long i = 0; i < elements; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}
