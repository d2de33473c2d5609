// SPDX-License-Identifier: BSD-3-Clause
// A line through noisy points, by least squares: how Heddle looks from C++.
#include <heddle/heddle.hpp>
#include <cstdio>

int main()
{
  hed::context_guard context("reference;real=float64");
  const hed::array t = hed::linspace(0, 1, 200);
  const hed::array noise = hed::random_normal({ 200 }, HED_REAL, hed::random().seed(1).seeded());
  const hed::array y = 3 * t + 2 + 0.01 * noise;

  const hed::array a = hed::stack({ t, hed::ones_like(t) }, 1);
  const auto [x, residuals, rank, s] = hed::lstsq(a, y);
  const std::vector<double> line = x.to_vector<double>();

  const hed::array far = y(hed::abs(y - hed::matmul(a, x)) > 0.02);
  std::printf("y = %.2f t + %.2f, rank %lld, %lld points are far\n", line[0], line[1], (long long)rank.item_int(),
              (long long)far.size());
}
