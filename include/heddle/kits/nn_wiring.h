// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn_wiring.h: which neuron has a synapse to which: wirings of sparse recurrent networks.
 *
 * Layer: public header of the nn kit; needs nothing but <heddle.h>.
 *
 * A wiring has units and inputs (sensory neurons). Adjacency (units, units) says at [from, to] 1 for an excitatory synapse, -1 for
 * an inhibitory one, 0 for none; sensory adjacency (inputs, units) the same of inputs. Units 0 to outputs - 1 are motor neurons, whose
 * values are the network's outputs. Random choices follow from KEY and sizes alone. One thread at a time where a wiring is
 * changed; any number may read one.
 * M. Lechner et al., Neural circuit policies enabling auditable autonomy, Nature Machine Intelligence 2 (2020).
 */
#ifndef HEDDLE_KITS_NN_WIRING_H
#define HEDDLE_KITS_NN_WIRING_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hed_nn_neuron { HED_NN_INTER, HED_NN_COMMAND, HED_NN_MOTOR } hed_nn_neuron;

typedef struct hed_nn_wiring hed_nn_wiring;

/* All makers: *OUT is NULL on failure, HED_E_INVAL where sizes do not fit, with both numbers, HED_E_NOMEM. Units at least 1, inputs
 * at least 0, outputs in [0, units]. */

/* Without a synapse: for those that add their own. One layer. */
HED_API hed_status hed_nn_wiring_create(int64_t units, int64_t inputs, int64_t outputs, hed_nn_wiring **out);
/* Every synapse, two in three excitatory; WITHOUT_SELF: none from a neuron to itself. */
HED_API hed_status hed_nn_wiring_full(int64_t units, int64_t inputs, int64_t outputs, bool without_self, uint64_t key,
                                      hed_nn_wiring **out);
/* round((1 - sparsity) n) of the n possible synapses, of either kind; SPARSITY in [0, 1). */
HED_API hed_status hed_nn_wiring_random(int64_t units, int64_t inputs, int64_t outputs, double sparsity, uint64_t key,
                                        hed_nn_wiring **out);

/* A neural circuit policy: layers inter, command, motor (units in the order motor, command, inter). No neuron is left without a
 * synapse from the layer before it, and no command neuron without one to a motor neuron. Half of the synapses are excitatory. */
typedef struct hed_nn_ncp {
  int64_t inputs;
  int64_t inter, command, motor; /* neurons, each at least 1                                    */
  int64_t sensory_fanout;        /* synapses from each input, in [1, inter]                     */
  int64_t inter_fanout;          /* from each inter neuron, in [1, command]                     */
  int64_t recurrent;             /* draws of synapses among command neurons, from 0 on          */
  int64_t motor_fanin;           /* to each motor neuron, in [1, command]                       */
} hed_nn_ncp;
HED_API hed_status hed_nn_wiring_ncp(const hed_nn_ncp *o, uint64_t key, hed_nn_wiring **out);

/* The same of UNITS neurons, 0.4 of those that are no outputs command neurons, fans being the share 1 - SPARSITY of what there is.
 * OUTPUTS at least 1 and below UNITS - 2; SPARSITY in (0, 1). */
HED_API hed_status hed_nn_wiring_auto(int64_t units, int64_t inputs, int64_t outputs, double sparsity, uint64_t key,
                                      hed_nn_wiring **out);

/* Circuits for kinds of tasks, without sensory synapses, all excitatory. A size of 0 is the one in brackets. */
typedef enum hed_nn_circuit {
  HED_NN_LANGUAGE,  /* SIZES hidden (64), heads (4): queries to keys to values by heads, values to outputs (hidden of them)       */
  HED_NN_ROBOTICS,  /* sensors (32), states (32), controls (8), sensor fan-out (4), recurrent (3), control fan-in (4); reflexes from
                       a fifth of the sensors straight to a control                                                              */
  HED_NN_SIGNAL,    /* bands (4), neurons of each (16), outputs (1): bands dense, two synapses to the next, all to outputs        */
  HED_NN_FREQUENCY, /* frequencies (4), neurons of each (32): each dense; 0.3 to each harmonic, 0.2 back, 0.1 between harmonics   */
  HED_NN_VISION     /* height (8), width (8), kernel (3), stride (2), channels of layers (3, 8, 16): receptive fields, skips      */
} hed_nn_circuit;
/* N SIZES, others count as 0. Motor neurons come first, LANGUAGE: its outputs, ROBOTICS: controls, FREQUENCY: one for each. */
HED_API hed_status hed_nn_wiring_circuit(hed_nn_circuit kind, int n, const int64_t *sizes, int64_t inputs, uint64_t key,
                                         hed_nn_wiring **out);

HED_API void hed_nn_wiring_release(hed_nn_wiring *w); /* NULL is fine */

/* A synapse, POLARITY 1 or -1; one that is there takes the new polarity. HED_E_INDEX, HED_E_INVAL. */
HED_API hed_status hed_nn_wiring_add(hed_nn_wiring *w, int64_t from, int64_t to, int polarity);
HED_API hed_status hed_nn_wiring_add_sensory(hed_nn_wiring *w, int64_t input, int64_t to, int polarity);
/* What a neuron is, and its layer from 0, as user-built wirings have it. */
HED_API hed_status hed_nn_wiring_place(hed_nn_wiring *w, int64_t neuron, hed_nn_neuron type, int64_t layer);

HED_API int64_t hed_nn_wiring_units(const hed_nn_wiring *w);   /* 0 for NULL, as all five */
HED_API int64_t hed_nn_wiring_inputs(const hed_nn_wiring *w);
HED_API int64_t hed_nn_wiring_outputs(const hed_nn_wiring *w);
HED_API int64_t hed_nn_wiring_synapses(const hed_nn_wiring *w);
HED_API int64_t hed_nn_wiring_sensory_synapses(const hed_nn_wiring *w);
HED_API const char *hed_nn_neuron_name(int type); /* "inter", "command", "motor"; NULL else */

/* New arrays in the context's space: int8 adjacency (units, units), sensory adjacency (inputs, units); of dtype T 1 where there is a
 * synapse, else 0; int8 types (hed_nn_neuron) and int64 layers (units). */
HED_NEW hed_array *hed_nn_wiring_adjacency(const hed_nn_wiring *w);
HED_NEW hed_array *hed_nn_wiring_sensory(const hed_nn_wiring *w);
HED_NEW hed_array *hed_nn_wiring_mask(const hed_nn_wiring *w, hed_dtype t);
HED_NEW hed_array *hed_nn_wiring_sensory_mask(const hed_nn_wiring *w, hed_dtype t);
HED_NEW hed_array *hed_nn_wiring_types(const hed_nn_wiring *w);
HED_NEW hed_array *hed_nn_wiring_layers(const hed_nn_wiring *w);
/* int64: the neurons of LAYER, ascending. */
HED_NEW hed_array *hed_nn_wiring_layer(const hed_nn_wiring *w, int64_t layer);

/* To and from an .npz archive: "adjacency", "sensory", "types", "layers", "outputs". HED_E_FORMAT where they do not fit. */
HED_API hed_status hed_nn_wiring_save(const hed_nn_wiring *w, const char *path);
HED_API hed_status hed_nn_wiring_load(const char *path, hed_nn_wiring **out);

/* A picture, ".svg": inputs at the left, then neurons by layers; excitatory synapses are full lines, inhibitory ones dashed, those
 * from a neuron to itself rings. Written as hed_file_create() writes. HED_E_INVAL (NULL, another end), HED_E_IO, HED_E_NOMEM. */
HED_API hed_status hed_nn_wiring_draw(const hed_nn_wiring *w, const char *path);

#ifdef __cplusplus
}
#endif
#endif
