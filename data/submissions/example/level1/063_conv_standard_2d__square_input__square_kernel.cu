// A convolution as a matrix product over windows; slower than eager, which may use tensor cores.
// In fp32 throughout, on CUDA cores, where cuDNN takes TF32: 0.39 times eager's speed (H200).
#include "conv.cuh"
#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* p, const kb_outputs* out,
                              kb_context* context) {
  using Shape = example::ConvShape<kb::x_dims[0], kb::x_dims[1], kb::x_dims[2], kb::x_dims[3],
                                   kb::conv_weight_dims[2], kb::conv_weight_dims[0]>;
  return example::launch_conv<Shape>(in->x, p->conv_weight, example::StorePlanes<Shape>{out->y},
                                     context->stream);
}
