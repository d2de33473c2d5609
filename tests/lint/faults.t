#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every public function is called with every allocation failing in turn (fault/alloc*.c, */*nomem.c), or
# seen to allocate nothing (api/call/into.c), or listed here as one that cannot fail for want of memory. Names are looked for
# where the compiler has expanded the families of ops.def and the macros of keys.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
cd "$srcdir" || exit 255

# Reads or frees what is there, or computes on its arguments; hed_fail is what reports that memory is out; locks
# wait for nothing that allocates; hed_is_available answers false without an error; hed_backend_load loads a file
# once in a process, so that the call cannot be repeated.
cat >"$tmp/exempt" <<'LIST'
hed_array_backend hed_array_dtype hed_array_is_contiguous hed_array_is_read_only hed_array_is_recorded hed_array_is_weak
hed_array_ndim hed_array_refs hed_array_shape hed_array_shares hed_array_size hed_array_space hed_array_strides
hed_broadcast_shapes hed_can_cast hed_choices hed_compute_convolution_shapes
hed_cp_check hed_cp_shape hed_prox_name hed_stop_name hed_tt_check hed_tt_effective_rank hed_tt_is_ring
hed_tt_ranks hed_tt_shape hed_tucker_check hed_tucker_shape
hed_context_depth hed_context_reason hed_context_retain hed_dtype_by_name hed_dtype_eps hed_dtype_finfo hed_dtype_id_of
hed_dtype_iinfo hed_dtype_kind hed_dtype_name hed_dtype_of hed_dtype_promote hed_dtype_size hed_error_memory
hed_api_enum_at hed_api_function_at hed_api_results hed_api_struct_at
hed_kit_enum_at hed_kit_function_at hed_kit_of_header hed_kit_struct_at
hed_fft_good_size hed_fft_plan_query hed_fft_plan_retain hed_fftw_lock hed_fftw_unlock hed_fold_key hed_gcp_loss_by_name
hed_gcp_loss_name hed_get_backend
hed_is_available hed_isdtype hed_leaked_frames hed_log_level_by_name hed_map_fsc_crossing
hed_match_correct hed_match_cutoff hed_match_cutoff_shaped hed_match_score_name hed_max_correlation_workspace hed_nearest
hed_nn_clip_value hed_nn_init_by_name hed_nn_init_name hed_nn_neuron_name hed_nn_optimizer_count hed_nn_optimizer_groups
hed_nn_optimizer_set_rate hed_nn_optimizer_state_name hed_nn_schedule_rate hed_nn_stop_name
hed_nn_wiring_add hed_nn_wiring_add_sensory hed_nn_wiring_inputs hed_nn_wiring_outputs hed_nn_wiring_place
hed_nn_wiring_sensory_synapses hed_nn_wiring_synapses hed_nn_wiring_units
hed_nn_cell_clip hed_nn_cell_output hed_nn_cell_state_shape hed_nn_cell_states hed_nn_params_at hed_nn_params_count
hed_nn_reader_arrays hed_nn_reader_count
hed_nn_params_differ hed_nn_params_find hed_nn_params_get hed_nn_params_key hed_nn_params_name hed_nn_params_remove
hed_nn_params_retain
hed_nn_params_role hed_nn_params_set_role hed_nn_params_size hed_nn_params_text
hed_npz_count hed_npz_name
hed_op_alias hed_op_by_name hed_op_count hed_op_name hed_op_query
hed_profile_is_on hed_profile_query hed_program_print hed_program_query hed_program_retain hed_program_takes hed_result_type
hed_rotation_angle hed_rotation_from_angle hed_rotation_from_euler hed_rotation_from_quaternion hed_rotation_to_euler
hed_rotation_to_quaternion hed_rotations_step hed_status_is hed_status_text hed_table_format_name hed_table_omits hed_thread_capacity
hed_tilts_join hed_version
hed_us_hdf5_available hed_us_psf_axes
hed_vsa_capacity hed_vsa_capacity_dim hed_vsa_items_label hed_vsa_items_model hed_vsa_model_name hed_vsa_retain
hed_backend_load
LIST
cat >"$tmp/used.awk" <<'AWK'
/^# [0-9]+ "/ {
  file = $3
  if ($0 ~ /" 1( |$)/) from[++depth] = file
  else if ($0 ~ /" 2( |$)/) depth--
  own = depth == 0 || (depth == 1 && file ~ /ops\.def"$/) ||
        (from[1] ~ /calls\.h"$/ && (depth == 1 || (depth == 2 && file ~ /(ops|calls)\.def"$/)))
  next
}
own {
  gsub(/"([^"\\]|\\.)*"/, "")
  while (match($0, /hed_[a-z0-9_]+/)) {
    name = substr($0, RSTART, RLENGTH)
    $0 = substr($0, RSTART + RLENGTH)
    sub(/_with_$/, "", name)
    print name
  }
}
AWK
# used FILE...: the names of functions that the files mention.
used() {
  for f in "$@"; do
    # Forms with a number are macros that hide their names, but where their header is taken for read.
    for macros in HED_LINT HEDDLE_SCALARS_H; do
      $CC -std=gnu11 -E -D$macros -Iinclude -I"$builddir/include" -iquote tests "$f" | awk -f "$tmp/used.awk"
    done
  done | LC_ALL=C sort -u
}
printf '#include <heddle.h>\nint main(void) { return HED_SET(0, 0, HED_AT(0)) + !hed_copy("hed_add"); }\n' >"$tmp/x.c"
is "$(used "$tmp/x.c" | grep -v '^hed_key' | tr '\n' ' ')" 'hed_copy hed_set ' 'names are found, also behind macros'

# The dtypes' descriptors are data, and other names of functions are those functions.
cat doc/symbols-of-* | grep -v '^#' | awk '{ print $1 }' |
  grep -Ev '^hed_dtype_(abstract_[a-z]+|bool|u?int[0-9]+|b?float[0-9]+|complex[0-9]+)$' |
  LC_ALL=C sort >"$tmp/names"
sh build-aux/gen-symbols.sh aliases "$CC" include "$builddir/include" >"$tmp/aliases"
comm -23 "$tmp/names" "$tmp/aliases" >"$tmp/functions"
used tests/fault/alloc*.c tests/*/*nomem.c >"$tmp/failing"
used tests/api/call/into.c | grep -e '_into$' >"$tmp/into"
LC_ALL=C sort -u "$tmp/failing" "$tmp/into" >"$tmp/tested"
tr -s ' ' '\n' <"$tmp/exempt" | grep . | LC_ALL=C sort >"$tmp/listed"
[ "$(wc -l <"$tmp/failing")" -gt 300 ]
ok $? "functions called with failing allocations were found ($(($(wc -l <"$tmp/failing"))))"
none "$(comm -23 "$tmp/functions" "$tmp/tested" | comm -23 - "$tmp/listed")" \
  'every function is tested with failing allocations or listed as one without'
none "$(comm -23 "$tmp/listed" "$tmp/functions")" 'what is listed exists'
none "$(comm -12 "$tmp/listed" "$tmp/tested")" 'what is listed is not tested too'
none "$(grep '_into$' "$tmp/functions" | comm -23 - "$tmp/into")" 'every form that writes into an array is in api/call/into.c'
done_testing
