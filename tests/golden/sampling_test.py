"""Facts about large inputs that are learnt by making a part of them:
suites/lowering/sampling.py."""

import logging
import resource
import unittest

import torch

from reference import leave  # first: finds suites/

from lowering.inference import infer_alike
from lowering.sampling import sample

N = 1 << 15  # an N × N tensor of float32 takes 4 GiB


def drawn(make):
    """The draw that is found without making all of it; None where there is none."""
    found = sample(make, 0)
    if found is None:
        return None
    values, is_whole = found
    assert not is_whole
    assert not any(torch.equal(values[0], other) for other in values[1:]), "one seed for all"
    return infer_alike("x", values)[0]


class Sampling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        logging.disable(logging.CRITICAL)  # fake tensors speak of each shape that does not fit
        # More than is asked for below, less than any of the tensors.
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        cls.before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + (3 << 30), cls.before[1]))

    @classmethod
    def tearDownClass(cls):
        resource.setrlimit(resource.RLIMIT_AS, cls.before)

    def assert_uniform(self, draw, low, high):
        self.assertEqual(draw.kind, "uniform")
        self.assertAlmostEqual(draw.a, low, delta=0.05 * (high - low))
        self.assertAlmostEqual(draw.b, high, delta=0.05 * (high - low))

    def test_small_inputs_are_made_as_they_are(self):
        values, is_whole = sample(lambda: [torch.rand(8, 4) ** 2], 0)
        self.assertTrue(is_whole)
        self.assertEqual([v.shape for v in values], [(8, 4)] * 2)
        self.assertFalse(torch.equal(*values))

    def test_the_dimension_that_matters_is_left_whole(self):
        # exp(u) / (N (e - 1)) for u of [0, 1)
        low, high = 1 / (N * 1.71828), 2.71828 / (N * 1.71828)
        self.assert_uniform(drawn(lambda: [torch.rand(N, N).softmax(dim=1)]), low, high)
        self.assert_uniform(drawn(lambda: [torch.rand(N, N).softmax(dim=0)]), low, high)
        normed = drawn(lambda: [torch.nn.functional.normalize(torch.randn(N, N), dim=1)])
        self.assertEqual(normed.kind, "normal")
        self.assertAlmostEqual(normed.b * N**0.5, 1, delta=0.02)

    def test_a_number_that_all_values_hang_on_may_come_before_or_after_them(self):
        def before():
            scale = torch.rand(())
            return [(torch.rand(N, N) * scale).softmax(dim=1)]

        def after():
            values = torch.rand(N, N)
            return [(values * torch.rand(())).softmax(dim=1)]

        for make in (before, after):
            with self.subTest(make.__name__):
                draw = drawn(make)
                self.assertLess(draw.a * N, 1)
                self.assertGreater(draw.b * N, 1)

    def test_other_tensors_follow(self):
        self.assert_uniform(drawn(lambda: [torch.rand(N, 1) * torch.rand(N, N)]), 0, 1)
        self.assert_uniform(drawn(lambda: [torch.rand(N // 2) * torch.rand(N, N // 2)]), 0, 1)
        self.assert_uniform(drawn(lambda: [torch.rand(4 * N, N).view(N, 4, N) ** 2]), 0, 1)
        self.assert_uniform(drawn(lambda: [torch.rand(N, 1) * torch.rand(1, N)]), 0, 1)
        self.assert_uniform(drawn(lambda: [torch.rand(64, N).repeat(N // 64, 1)]), 0, 1)

    def test_what_hangs_on_all_of_it_is_not_guessed(self):
        for make in (
            lambda: [torch.randn(N, N).softmax(0).softmax(1) * N],
            lambda: [torch.rand(N, N).cumsum(0).cumsum(1)],
            lambda: [torch.arange(N * N).view(N, N) / 3],
            lambda: [torch.rand(N, N) @ torch.rand(N, N)],
            lambda: [torch.rand(N).repeat(N)],
        ):
            self.assertIsNone(drawn(make))


if __name__ == "__main__":
    leave(not unittest.main(exit=False).result.wasSuccessful())
