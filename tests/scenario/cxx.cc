// SPDX-License-Identifier: BSD-3-Clause
/* std::thread and std::async as hosts: children, exceptions that leave blocks, destructors of thread_local. L5. */
#include "hosts.h"

#include <future>
#include <stdexcept>
#include <thread>

static void test_threads()
{
  int seen = 0, grandchild = 0;
  std::thread([&] {
    seen = here();
    std::thread([&] { grandchild = here(); }).join();
  }).join();
  is_int(seen, expected(12), "a std::thread's context");
  is_int(grandchild, expected(12), "its child's");
  is_int(std::async(std::launch::async, [] { return here(); }).get(), expected(12), "std::async's");
}

static void test_exceptions()
{
  bool caught = false;
  try {
    HED_BACKEND_CONTEXT(";threads=13") {
      HED_SCOPE {
        if (here() == 13)
          throw std::runtime_error("out of the block");
      }
    }
  } catch (const std::runtime_error &) {
    caught = true;
  }
  ok(caught, "an exception leaves a block");
  is_int(hed_context_depth(), 1, "and the frame is popped");
}

static void test_fusion()
{
  hed_array *a = hed_full(HED_SHAPE(100), 3, HED_FLOAT32), *y = nullptr, *z = nullptr;
  try {
    HED_FUSED {
      y = hed_square(a);
      throw std::runtime_error("out of the block");
    }
  } catch (const std::runtime_error &) {
    z = hed_square(a);
  }
  double sum = 0;
  ok(y && z && !hed_array_is_pending(y) && !hed_array_is_pending(z), "an exception ends a fusion scope");
  hed_array *total = hed_sum(y, nullptr);
  is_int(hed_item(total, &sum), HED_OK, "what was recorded in it is computed");
  ok(sum == 900, "and right");
  hed_release(total);
  hed_release(a);
  hed_release(y);
  hed_release(z);
}

struct last_call {
  ~last_call() { status = hed_backend_context_push(";threads=14", nullptr); }
  static hed_status status;
};
hed_status last_call::status = HED_OK;

static void test_thread_local()
{
  std::thread([] {
    static thread_local last_call l;
    (void)&l;
    (void)here();
  }).join();
  ok(last_call::status == HED_OK || last_call::status == HED_E_EXITING,
     "a thread_local's destructor may push, or is told that the thread is ending");
}

static void test_shapes()
{
  HED_SCOPE {
    float y[4] = {};
    hed_array *x = hed_full(HED_SHAPE(2, 2), 3, HED_FLOAT32);
    is_int(hed_to_host(hed_add(x, x), y, sizeof y), HED_OK, "operations from C++");
    ok(y[3] == 6.0F, "compute");
  }
}

int main()
{
  set_root();
  HED_BACKEND_CONTEXT(";threads=12") {
    test_threads();
    test_exceptions();
    test_fusion();
    test_thread_local();
    test_shapes();
  }
  return done();
}
