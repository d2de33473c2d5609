// SPDX-License-Identifier: BSD-3-Clause
/* Made by gen_tensor.py with TensorLy 0.10.0, NumPy 2.4.6. */
static const double tl_train[3] = { 0.4357167994816568, 0.5847720160620715, 0.21964895728328906 };
static const double tl_ring[2] = { 0.5895951883581212, 0.5237297638851487 };
static const double tl_matrix[1] = { 0.1691095782054169 };
static const double tl_hosvd[1] = { 0.4910887661908046 };
static const double tl_parafac2[2] = { 0.45394931619168166, 0.4465149329978275 };
static const double tl_cp_regression[2] = { 2.9969994763973316, 2.1693597026675007 };
static const double tl_cp_regression2[2] = { 0.31780402854156, 2.0592432464596566 };
static const double tl_tucker_regression[2] = { 2.832371910380008, 2.348734478965788 };
static const double tl_plsr[6] = { 1.2787766066863826, 2.990268058085832, 0.3570350764414115, 2.7161165596453, 0.2611559019740114,
  2.727368688326723 };
static const double tl_prediction[6] = { 0.25946468969171954, 0.509376765952001, 0.3451066260528103, -0.0022824914743460292,
  -0.017992827364400374, 0.6593542122486709 };
static const double tl_congruence[1] = { 0.7286814006663183 };
static const double tl_index[4] = { 0.19519806812761434, 0.21275168827807978, 0.1469437694011701, 0.17984772883962494 };
static const double tl_entropy[1] = { 0.6535112908107212 };
static const double tl_robust[2] = { 10.702523661902914, 65.0 };
