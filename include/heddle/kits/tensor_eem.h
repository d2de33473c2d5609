// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tensor_eem.h: excitation-emission data (fluorescence landscapes) before they are decomposed: where scattered light
 * stands above fluorescence, and what takes its place.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h>. Wavelengths are in nm, as arrays of one axis, real and
 * increasing. A line of scatter is where the emission has a wavelength that the excitation alone decides: Rayleigh scatter that of the
 * excitation, Raman scatter of the solvent 1 / (1 / excitation - shift), and what a grating lets through of both in its second order
 * twice these.
 *
 * Errors of all functions: HED_E_INVAL (NULL; wavelengths that do not increase, are not finite or not within 100 and 3000 nm; no band,
 * or one of a negative width or wider than the emissions reach; a shift outside 500 to 5000 1/cm; emissions and excitations on one
 * axis; to interpolate: an excitation whose emissions are all scatter), HED_E_SHAPE, HED_E_DTYPE, HED_E_AXIS, HED_E_NOMEM.
 * Thread-safety: all functions may run in several threads at once.
 */
#ifndef HEDDLE_KITS_TENSOR_EEM_H
#define HEDDLE_KITS_TENSOR_EEM_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hed_eem_fill {
  HED_EEM_MASK,       /* NaN, which decompositions take for missing (nan_is_missing) */
  HED_EEM_ZERO,       /* 0 */
  HED_EEM_INTERPOLATE /* along the emissions a straight line between the next that are no scatter; beyond these the last value */
} hed_eem_fill;

typedef struct hed_eem_options {
  double rayleigh;        /* of the band, nm to either side of the line, which belongs to it; 0: there is no such band */
  double rayleigh_second; /* of second order                                                                          */
  double raman, raman_second;
  double raman_shift;     /* 1/cm; 0: 3400, of water, where 3382 to 3600 are in use                                   */
  hed_eem_fill fill;      /* what takes the place of scatter                                                          */
} hed_eem_options;

/* True where the emission (E) of an excitation (X) is in a band of scatter: (E, X), bool. OPT says the bands, not NULL. (J. R.
 * Lakowicz, Principles of Fluorescence Spectroscopy, 3rd ed. 2006, 2; R. G. Zepp, W. M. Sheldon, M. A. Moran, Marine Chemistry 89
 * (2004) 15-36.) */
HED_NEW hed_array *hed_eem_scatter(const hed_array *emission, const hed_array *excitation, const hed_eem_options *opt);

/* X, real, with scatter taken out as OPT says: the emissions are along EMISSION_AXIS, the excitations along EXCITATION_AXIS (negative:
 * from the last), the samples along the others. Whole numbers become floats. What is no scatter keeps its bits, a NaN next to a band
 * that is interpolated spreads into it. (M. Bahram, R. Bro, C. Stedmon, A. Afkhami, J. Chemometrics 20 (2006) 99-105.) */
HED_NEW hed_array *hed_eem_remove_scatter(const hed_array *x, const hed_array *emission, int32_t emission_axis,
                                          const hed_array *excitation, int32_t excitation_axis, const hed_eem_options *opt);

#ifdef __cplusplus
}
#endif
#endif
