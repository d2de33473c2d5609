# SPDX-License-Identifier: BSD-3-Clause
# libheddle-inherit: the interposer of pthread_create.
