// SPDX-License-Identifier: BSD-3-Clause
/* Tickets, uses and the reuse of blocks (lib/core/array/submit.h), for two streams and three threads.
 *
 * One block of memory with two parts; its record holds the ticket of the last writer and PLACES uses: with 2 there is one for
 * each stream, with 1 they run out. Threads 0 and 2 submit to stream 0, thread 1 to stream 1. A phase ends when all threads
 * have come to its end: that is the order which a program has to give. Within a phase there is none. First, thread 0 writes
 * all and threads 1 and 2 read all. Then
 *
 *   without REUSE: thread 0 writes one part while 1 writes the other; 0 writes its part again while 2 reads the other; 1
 *     writes all; 2 reads all;
 *   with REUSE: thread 1 releases the block, and threads 0 and 1 ask for one, write it, read it and release it, while 2 looks
 *     for what has landed.
 *
 * A reader checks versions when it begins and when it ends; while a part is written it has none. In the end all threads and
 * all submissions are done: who waits for ever is an invalid end state.
 *
 * WITHOUT is the number of a rule that is left out. Each is caught: by an assertion, or by such a state. */

#define READERS_WAIT    1   /* a submission waits for the last writer of its operands, and fails with it */
#define WRITERS_WAIT    2   /* ... and for the uses of its results */
#define READS_COUNT     3   /* a reader leaves its ticket as a use */
#define USES_FORGIVE    4   /* a use that failed does not fail who comes after it */
#define FULL_IS_COVERED 5   /* a reader without a place comes after those that have one, and takes it */
#define FILLED_IS_WAIT  6   /* a place that was filled meanwhile is waited for */
#define ONLY_COVERED    7   /* uses go only where the submission comes after them */
#define ONE_STEP        8   /* looking for a place and taking it is one step */
#define WRITERS_MEET    9   /* a writer that finds another one's ticket, which it does not come after, waits for it */
#define NOT_BEFORE_DONE 10  /* a released block lands when its uses are done */
#define USES_STAY       11  /* a block that is handed out in flight keeps its uses */
#define LOOK_AGAIN      12  /* that a block has landed holds for the uses that were asked for */

#ifndef WITHOUT
#define WITHOUT 0
#endif
#ifndef PLACES
#define PLACES 1
#endif
#define RULE(r) (WITHOUT != r)

/* A ticket: value and stream. */
#define TICKET(s, v) ((v) * 2 + (s))
#define STREAM(t) ((t) & 1)
#define VALUE(t) ((t) >> 1)
#define DONE(t) (completed[STREAM(t)] >= VALUE(t))

#define MOST 8              /* submissions to a stream */
#define NO_VERSION 255

typedef job_t {
  bool writes, fails, failed;
  bool part[2];
  byte version;             /* which is written, or expected */
  byte wait_for, after;     /* tickets, 0 for none; the latter of the other stream */
};
typedef queue_t { job_t job[MOST] };
queue_t queue[2];
byte issued[2], completed[2];
byte version[2];            /* of the parts */

byte writer, use[PLACES];   /* the record */
mtype = { USED, FLYING, LANDED };
mtype block = USED;

byte arrived, phase = 1;
byte failing;               /* whose submission fails: 0 nobody's, 1 the first writer's, 2 the reader's on stream 1 */

/* ---- the device ---- */

#define J queue[s].job[completed[s]]
#define READY(t) (t == 0 || STREAM(t) == s || DONE(t))
#define FAILED(t) (t != 0 && queue[STREAM(t)].job[VALUE(t) - 1].failed)
#define PARTS_ARE(number) (!(J.part[0] && version[0] != number) && !(J.part[1] && version[1] != number))

inline set_versions(number)
{
  if
  :: J.part[0] -> version[0] = number
  :: else
  fi;
  if
  :: J.part[1] -> version[1] = number
  :: else
  fi
}

active [2] proctype stream()
{
  byte s = _pid;
end:
  do
  :: atomic {
       completed[s] < issued[s] && READY(J.wait_for) && READY(J.after) ->
       J.failed = J.fails || FAILED(J.wait_for) || (!RULE(USES_FORGIVE) && FAILED(J.after));
       assert(J.failed == (failing == 1 && J.version == 1) || J.fails); /* with the writer, those that read what it wrote */
       if
       :: J.failed
       :: !J.failed && J.writes -> set_versions(NO_VERSION)
       :: !J.failed && !J.writes -> assert(PARTS_ARE(J.version))
       fi
     }
     atomic {
       if
       :: J.failed
       :: !J.failed && J.writes -> assert(PARTS_ARE(NO_VERSION)); set_versions(J.version)
       :: !J.failed && !J.writes -> assert(PARTS_ARE(J.version))
       fi;
       completed[s]++
     }
  od
}

/* ---- a thread's submission ---- */

#define MINE(t) (STREAM(t) == s)
#define COVERED(t) (t == wait_for || t == after || MINE(t) && t <= mine)

/* A use of the other stream; 0: none. */
#if PLACES == 1
#define OTHERS (use[0] != 0 && !MINE(use[0]) -> use[0] : 0)
#define IS_FULL(s) (use[0] != 0)
#else
#define OTHERS (use[0] != 0 && !MINE(use[0]) -> use[0] : (use[1] != 0 && !MINE(use[1]) -> use[1] : 0))
#define IS_FULL(s) (use[0] != 0 && use[1] != 0 && !MINE(use[0]) && !MINE(use[1]))
#endif

inline submit(is_writer, first, second, number, it_fails)
{
  /* what it has to come after */
  atomic {
    wait_for = (RULE(READERS_WAIT) || is_writer -> writer : 0);
    after = (is_writer && RULE(WRITERS_WAIT) || !is_writer && IS_FULL(s) && RULE(FULL_IS_COVERED) -> OTHERS : 0);
  }
  atomic {
    assert(issued[s] < MOST);
    queue[s].job[issued[s]].writes = is_writer;
    queue[s].job[issued[s]].fails = it_fails;
    queue[s].job[issued[s]].part[0] = first;
    queue[s].job[issued[s]].part[1] = second;
    queue[s].job[issued[s]].version = number;
    queue[s].job[issued[s]].wait_for = wait_for;
    queue[s].job[issued[s]].after = after;
    issued[s]++;
    mine = TICKET(s, issued[s])
  }
  if
  :: is_writer || RULE(READS_COUNT) -> leave_use(is_writer)
  :: else
  fi;
  if
  :: is_writer -> become_writer()
  :: else
  fi;
  atomic { wait_for = 0; after = 0; mine = 0; found = 0 }
}

/* The ticket becomes a use of the record, for those that it comes after. */
inline leave_use(for_writer)
{
  do
  :: atomic {
       place = PLACES;
       for (k : 0 .. PLACES - 1) {
         if
         :: use[k] != 0 && (COVERED(use[k]) || !RULE(ONLY_COVERED) && for_writer) -> use[k] = 0
         :: else
         fi;
         if
         :: use[k] == 0 || MINE(use[k]) || !RULE(FULL_IS_COVERED) -> place = k
         :: else -> found = use[k]
         fi
       }
       k = 0;
       if
       :: place < PLACES && RULE(ONE_STEP) -> use[place] = (use[place] > mine && MINE(use[place]) -> use[place] : mine); break
       :: else
       fi
     }
     if
     :: place < PLACES -> use[place] = mine; break
     :: place == PLACES ->
       DONE(found) || !RULE(FILLED_IS_WAIT);
       atomic {
         for (k : 0 .. PLACES - 1) {
           if
           :: use[k] == found -> use[k] = 0
           :: else
           fi
         }
         k = 0
       }
     fi
  od;
  place = 0
}

inline become_writer()
{
  do
  :: atomic { writer == 0 || writer == wait_for || !RULE(WRITERS_MEET) -> writer = mine; break }
  :: atomic { writer != 0 && writer != wait_for && RULE(WRITERS_MEET) -> found = writer }
     DONE(found);
     atomic {
       if
       :: writer == found -> writer = 0
       :: else
       fi
     }
  od
}

/* ---- a thread and the pool ---- */

#if PLACES == 1
#define USES_DONE (use[0] == 0 || DONE(use[0]))
#else
#define USES_DONE ((use[0] == 0 || DONE(use[0])) && (use[1] == 0 || DONE(use[1])))
#endif

inline release()
{
  atomic {
    assert(block == USED);
    block = (!RULE(NOT_BEFORE_DONE) || USES_DONE -> LANDED : FLYING)
  }
}

/* The device is asked with nothing locked. */
inline harvest()
{
  if
  :: atomic { block == FLYING && USES_DONE -> found = round }
     atomic {
       if
       :: block == FLYING && (found == round || !RULE(LOOK_AGAIN)) -> block = LANDED
       :: else
       fi
     }
  :: true
  fi;
  found = 0
}

/* A block in flight is handed out at any time, whatever its stream. */
inline ask()
{
  atomic {
    block != USED;
    if
    :: block == LANDED || !RULE(USES_STAY) ->
      for (k : 0 .. PLACES - 1) { use[k] = 0 }
      k = 0;
      assert(completed[0] == issued[0] && completed[1] == issued[1]) /* nobody uses it */
    :: else
    fi;
    block = USED;
    writer = 0;
    round++
  }
}
byte round;

inline end_phase()
{
  atomic {
    arrived++;
    if
    :: arrived == 3 -> arrived = 0; phase++
    :: else
    fi
  }
  phase > own;
  own++
}

active [3] proctype thread()
{
  byte s, own = 1, me = _pid - 2, wait_for, after, mine, found, place, k;
  s = (me == 1 -> 1 : 0);

  if
#ifdef REUSE
  :: me == 0 -> failing = 1
  :: me == 0 -> failing = 2
#endif
  :: true
  fi;
  if
  :: me == 0 -> submit(true, true, true, 1, failing == 1)
  :: else
  fi;
  end_phase();
  if
  :: me == 0
  :: me == 1 -> submit(false, true, true, 1, failing == 2)
  :: me == 2 -> submit(false, true, true, 1, false)
  fi;
  end_phase();
#ifndef REUSE
  if
  :: me == 0 -> submit(true, true, false, 2, false)
  :: me == 1 -> submit(true, false, true, 2, false)
  :: me == 2
  fi;
  end_phase();
  if
  :: me == 0 -> submit(true, true, false, 3, false)
  :: me == 1
  :: me == 2 -> submit(false, false, true, 2, false)
  fi;
  end_phase();
  if
  :: me == 1 -> submit(true, true, true, 4, false)
  :: else
  fi;
  end_phase();
  if
  :: me == 2 -> submit(false, true, true, 4, false)
  :: else
  fi
#else
  if
  :: me == 1 -> release()
  :: else
  fi;
  end_phase();
  if
  :: me < 2 ->
    harvest();
    ask();
    submit(true, true, true, 2 + me, false);
    submit(false, true, true, 2 + me, false);
    release()
  :: else -> harvest()
  fi
#endif
}
