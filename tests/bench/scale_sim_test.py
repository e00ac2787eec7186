"""The simulator where the answer is known: one lane, equal units, clients that are too few or too many."""

import unittest

import scale_sim


class ScaleSimTest(unittest.TestCase):
    def test_one_lane_takes_the_sum(self):
        units = scale_sim.durations(50, 3)
        for order in ("longest", "plan", "nth"):
            self.assertAlmostEqual(scale_sim.makespan(units, 1, order), sum(units))

    def test_equal_units_go_round(self):
        self.assertEqual(scale_sim.makespan([2.0] * 17, 8), 6.0)

    def test_a_long_unit_comes_first(self):
        self.assertEqual(scale_sim.makespan([1.0, 1.0, 1.0, 1.0, 4.0], 2), 4.0)
        self.assertEqual(scale_sim.makespan([1.0, 1.0, 1.0, 1.0, 4.0], 2, "plan"), 6.0)
        self.assertEqual(scale_sim.makespan([4.0, 1.0, 4.0, 1.0], 2, "nth"), 8.0)

    def test_gpus_bound_what_many_clients_get(self):
        rate, busy = scale_sim.cluster(gpus=4, clients=40, build=1, cores=40, think=0, seconds=2)
        self.assertAlmostEqual(rate, 4 / 2, delta=0.01)
        self.assertAlmostEqual(busy, 1, delta=0.001)

    def test_few_clients_bound_themselves(self):
        rate, busy = scale_sim.cluster(gpus=40, clients=4, build=1, cores=40, think=5, seconds=2)
        self.assertAlmostEqual(rate, 4 / (1 + 2 + 5), delta=0.01)
        self.assertAlmostEqual(busy, 4 * 2 / 8 / 40, delta=0.001)

    def test_builders_bound_what_takes_long_to_build(self):
        rate, _ = scale_sim.cluster(gpus=40, clients=400, build=30, cores=10, think=0, seconds=2)
        self.assertAlmostEqual(rate, 10 / 30, delta=0.01)


if __name__ == "__main__":
    unittest.main()
