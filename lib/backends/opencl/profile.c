// SPDX-License-Identifier: BSD-3-Clause
/* What commands took, by the device's clock, for profiles. L1.
 *
 * A queue has times from its making on or never, so those of threads that came before the profile have none. */
#include "backends/opencl/opencl.h"

bool ocl_times(const ocl_device *dev, const ocl_stream *s) { return s->timed && dev_host_profile(dev->host); }

void ocl_time(ocl_device *dev, const ocl_stream *s, cl_event event, const char *name)
{
  if (event)
    dev_times_add(&dev->times, NULL, event, s->slot, name);
}

static bool is_over(void *dev, void *event)
{
  cl_int state = CL_QUEUED;
  (void)dev;
  return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) != CL_SUCCESS || state <= CL_COMPLETE;
}

static bool times_of(void *dev, dev_timed *t)
{
  cl_ulong begin = 0, end = 0;
  (void)dev;
  const bool known = clGetEventProfilingInfo(t->event[1], CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL) == CL_SUCCESS &&
                     clGetEventProfilingInfo(t->event[1], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS;
  t->begins = begin;
  t->ends = end;
  return known && begin && end >= begin;
}

static void drop(void *dev, void *event)
{
  (void)dev;
  clReleaseEvent(event);
}

void ocl_times_init(ocl_device *dev)
{
  dev->times = (dev_times){ .host = dev->host, .name = dev->name, .dev = dev, .lock = &dev->lock, .over = is_over,
                            .times = times_of, .drop = drop };
}
