// SPDX-License-Identifier: BSD-3-Clause
/*
 * Numbers of the logarithms of log_512.h, to the bases e, 2 and 10. The logarithm of 2 in two parts, of which the first has
 * few bits; the unit log_b e; P from its highest power; c as each.h has it; -log_b c, all c being such that few bits are it
 * but for 2^-31 (float32) and 2^-67.
 */

typedef struct log_base_f {
  float high, low, unit, fit[4];
  _Alignas(64) float factor[16], of_factor[16];
} log_base_f;
typedef struct log_base_d {
  double high, low, unit, fit[8];
  _Alignas(64) double factor[16], of_factor[16];
} log_base_d;

static const log_base_f log_e_f = {
  0x1.62e4p-1f, 0x1.7f7d1cp-20f, 1,
  {
    0x1.99a734p-3f, -0x1.0039acp-2f, 0x1.555554p-2f, -0x1.fffffcp-2f,
  },
  {
    0x1p127f, 0x1.e11ba2p126f, 0x1.c7981ep126f, 0x1.af44dap126f, 0x1.99bcb4p126f, 0x1.85ae74p126f, 0x1.74c10cp126f,
    0x1.6496d8p126f, 0x1.5544cp126f, 0x1.48328p126f, 0x1.3aa686p126f, 0x1.2fc0cp126f, 0x1.251f8ap126f, 0x1.1a9e9ap126f,
    0x1.116bcap126f, 0x1.07c218p126f,
  },
  {
    0, 0x1.fddp-5f, 0x1.de18p-4f, 0x1.5f6cp-3f, 0x1.c85p-3f, 0x1.178cp-2f, 0x1.4506p-2f, 0x1.726cp-2f, 0x1.9f64p-2f,
    0x1.c762p-2f, 0x1.f28cp-2f, 0x1.0b52p-1f, 0x1.1d8fp-1f, 0x1.303ep-1f, 0x1.412fp-1f, 0x1.539bp-1f,
  },
};
static const log_base_f log_2_f = {
  1, 0, 0x1.715476p0f,
  {
    0x1.27bfeap-2f, -0x1.719f18p-2f, 0x1.ec7098p-2f, -0x1.715474p-1f,
  },
  {
    0x1p127f, 0x1.e2740ep126f, 0x1.c766a8p126f, 0x1.aed5c6p126f, 0x1.9a1388p126f, 0x1.86390ap126f, 0x1.744b42p126f,
    0x1.63dcaap126f, 0x1.558facp126f, 0x1.4722bp126f, 0x1.3af426p126f, 0x1.2f47b2p126f, 0x1.246a8ap126f, 0x1.1a83bap126f,
    0x1.10c5aep126f, 0x1.087e58p126f,
  },
  {
    0, 0x1.5f4p-4f, 0x1.5a2p-3f, 0x1.fdf8p-3f, 0x1.47fp-2f, 0x1.914p-2f, 0x1.d6bcp-2f, 0x1.0cb6p-1f, 0x1.2b02p-1f,
    0x1.4ae2p-1f, 0x1.66eap-1f, 0x1.82dp-1f, 0x1.9dc2p-1f, 0x1.b734p-1f, 0x1.d12p-1f, 0x1.e7e4p-1f,
  },
};
static const log_base_f log_10_f = {
  0x1.344p-2f, 0x1.3509f8p-18f, 0x1.bcb7b2p-2f,
  {
    0x1.642386p-4f, -0x1.bd1a7ep-4f, 0x1.287a74p-3f, -0x1.bcb7aep-3f,
  },
  {
    0x1p127f, 0x1.e186dep126f, 0x1.c7ad2ap126f, 0x1.af93dap126f, 0x1.999da2p126f, 0x1.86a318p126f, 0x1.741e8p126f, 0x1.64bff8p126f,
    0x1.5567f6p126f, 0x1.47ad2ap126f, 0x1.3b255ep126f, 0x1.2f5c6cp126f, 0x1.24c4fp126f, 0x1.1aef4ep126f, 0x1.115a92p126f,
    0x1.08399p126f,
  },
  {
    0, 0x1.b4ap-6f, 0x1.9eap-5f, 0x1.2ff8p-4f, 0x1.8cep-4f, 0x1.e144p-4f, 0x1.1bd4p-3f, 0x1.4158p-3f, 0x1.6872p-3f,
    0x1.8cf4p-3f, 0x1.afa2p-3f, 0x1.d188p-3f, 0x1.f124p-3f, 0x1.07c4p-2f, 0x1.1716p-2f, 0x1.2631p-2f,
  },
};
static const log_base_d log_e_d = {
  0x1.62e42feep-1, 0x1.a39ef35793c76p-33, 1,
  {
    0x1.c819ef6682b4dp-4, -0x1.007339f8f6c21p-3, 0x1.24922aca9c295p-3, -0x1.55553fc12ad19p-3, 0x1.9999999c8dcbp-3,
    -0x1.00000000bf45dp-2, 0x1.5555555555495p-2, -0x1.fffffffffffc7p-2,
  },
  {
    0x1p1023, 0x1.e1e1e20836028p1022, 0x1.c71c71d2ea936p1022, 0x1.af286be337d7p1022, 0x1.999999b6e853ap1022, 0x1.8618619d0e9edp1022,
    0x1.745d174cdc55ep1022, 0x1.642c8597a0593p1022, 0x1.55555563132c4p1022, 0x1.47ae1453e97b9p1022, 0x1.3b13b174215d3p1022,
    0x1.2f684be89f344p1022, 0x1.2492491e00077p1022, 0x1.1a7b960f4b9cap1022, 0x1.111110faa5f4cp1022, 0x1.0842107f01371p1022,
  },
  {
    0, 0x1.f0a309758p-5, 0x1.e27076787p-4, 0x1.5ff306933p-3, 0x1.c8ff7be72p-3, 0x1.1675ca7e74p-2, 0x1.4618bc0e68p-2,
    0x1.739d7f57dp-2, 0x1.9f323ea2cp-2, 0x1.c8ff7cf37p-2, 0x1.f128f54184p-2, 0x1.0be72e29c6p-1, 0x1.1e85f5f284p-1,
    0x1.307d733938p-1, 0x1.41d8feae7p-1, 0x1.52a2d26faap-1,
  },
};
static const log_base_d log_2_d = {
  1, 0, 0x1.71547652b82fep0,
  {
    0x1.4901eeb2526cbp-3, -0x1.71fab2e6db82dp-3, 0x1.a61736ddfe9dbp-3, -0x1.ec707ea1f060bp-3, 0x1.2776c5111b3a4p-2,
    -0x1.71547653cc22ap-2, 0x1.ec709dc3a02e8p-2, -0x1.71547652b82d5p-1,
  },
  {
    0x1p1023, 0x1.e1e1e1c049155p1022, 0x1.c71c71a64bb7bp1022, 0x1.af286bd95bb38p1022, 0x1.999999e4d8ea3p1022, 0x1.86186164ffbaep1022,
    0x1.745d17289e35bp1022, 0x1.642c858c59086p1022, 0x1.55555547a002bp1022, 0x1.47ae14387ba29p1022, 0x1.3b13b1441792ep1022,
    0x1.2f684c09eb3eap1022, 0x1.24924920ad5cp1022, 0x1.1a7b9680a5aa1p1022, 0x1.11111112ecabfp1022, 0x1.08421075dd51cp1022,
  },
  {
    0, 0x1.663f71489p-4, 0x1.5c01a474c8p-3, 0x1.fbc16b27ap-3, 0x1.49a783ad6cp-2, 0x1.91bba90f48p-2,
    0x1.d6753e7708p-2, 0x1.0c10501668p-1, 0x1.2b803491a2p-1, 0x1.49a785527ep-1, 0x1.66a008cf56p-1, 0x1.82809ce76cp-1,
    0x1.9d5d9fded6p-1, 0x1.b74947d318p-1, 0x1.d053f6cd5ap-1, 0x1.e88c6b5e06p-1,
  },
};
static const log_base_d log_10_d = {
  0x1.34413508p-2, 0x1.f79fef311f12bp-34, 0x1.bcb7b1526e50ep-2,
  {
    0x1.8c2a20d65c2c7p-5, -0x1.bd7fdc8c7b713p-5, 0x1.fc3f715b42285p-5, -0x1.287a6378b9694p-4, 0x1.63c62777b5dfap-4,
    -0x1.bcb7b153ba973p-4, 0x1.287a7636f42b8p-3, -0x1.bcb7b1526e4ddp-3,
  },
  {
    0x1p1023, 0x1.e1e1e20486c9ep1022, 0x1.c71c71a6e809bp1022, 0x1.af286ba60b0d5p1022, 0x1.99999975c8d27p1022, 0x1.861861734accap1022,
    0x1.745d1788892e1p1022, 0x1.642c85845b3dap1022, 0x1.55555541d39ap1022, 0x1.47ae14ecbce09p1022, 0x1.3b13b12f643f3p1022,
    0x1.2f684c0870728p1022, 0x1.2492489a3a14cp1022, 0x1.1a7b95b80f1bp1022, 0x1.11111105172ccp1022, 0x1.08421073042ap1022,
  },
  {
    0, 0x1.af5f90b08p-6, 0x1.a30a9e5c6p-5, 0x1.31b305f11p-4, 0x1.8cf18423fp-4, 0x1.e3bc1b06ap-4, 0x1.1b3e714d38p-3,
    0x1.42c7e81d1p-3, 0x1.68a288e8ep-3, 0x1.8cf1825358p-3, 0x1.afd3e3c338p-3, 0x1.d1652f8648p-3, 0x1.f1bdf05ae8p-3,
    0x1.087a08c008p-2, 0x1.178da550ap-2, 0x1.2622b10b08p-2,
  },
};
