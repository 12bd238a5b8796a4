/* Lists that bypass the watch cache exchange their seats and share reads: package
   pkg/apf/storage (sharedread.go, guarded.go) and Seating of pkg/apf/filter.

   Identical lists arrive while etcd's revision grows, on seats for one read from etcd. A list
   may be rejected when it asks for seats, and clients may leave at any time. Waits have no time
   limit here: no list may need one. Verified: no deadlock; no list gets a state that is older than
   its arrival, nor the result of a cancelled read; no seat, and no read, is left at the end.

   Each fault must be found:
     HOLD      a list keeps its seats while it asks for those of the read
     STALE     a list joins a read that executes
     HOPELESS  nobody is told that all members of a read have given up
     HANDOVER  seats are handed over to a read that has ended
     ABSENT    a list that has left starts the read, and regards itself as its only member */

#define LISTS   3
#define SEATS   2
#define CACHE   1  /* seats of a list from the watch cache */
#define STORAGE 2  /* seats of a read from etcd */
#define NONE    9

byte free = SEATS, revision, reads, arrivals;
byte pending = NONE, executing = NONE;                /* the slot */
byte before[LISTS], members[LISTS], asking[LISTS];    /* of reads */
byte result[LISTS];
bool started[LISTS], done[LISTS], hopeless[LISTS], cancelled[LISTS], handed[LISTS], shareable[LISTS];
byte readOf[LISTS];                                 /* the read of a list */
bool belongs[LISTS], asks[LISTS], gone[LISTS];        /* of lists */

inline give(n) { atomic { free = free + n; assert(free <= SEATS) } }

/* Each runs under the lock of guarded. */
inline giveUpLocked(m) {
  if
  :: asks[m] ->
     asks[m] = false; asking[readOf[m]]--;
     if
     :: asking[readOf[m]] == 0 && pending == readOf[m] ->
#ifndef HOPELESS
        hopeless[readOf[m]] = true;
#endif
        pending = NONE
     :: else
     fi
  :: else
  fi
}

inline leave(m) {
  atomic {
    if
    :: belongs[m] ->
       giveUpLocked(m);
       belongs[m] = false; members[readOf[m]]--;
       if
       :: members[readOf[m]] == 0 && started[readOf[m]] -> cancelled[readOf[m]] = true
       :: else
       fi
    :: else
    fi
  }
}

proctype Reader(byte r) {
  bool release;
  result[r] = revision;
  atomic {
    assert(executing == r);
    done[r] = true; executing = NONE; release = handed[r]
  }
  if
  :: release -> give(STORAGE)
  :: else
  fi
}

proctype List(byte me) {
  byte r, arrived;
  bool rejected, first, alone;
  /* Lists arrive in order, since they are alike. Seats that are given back without a wait need
     only have been free. */
  atomic {
    arrivals == me && free >= CACHE ->
    arrivals++; arrived = revision;
#ifdef HOLD
    free = free - CACHE;
#endif
    skip
  }
  atomic { /* join */
#ifdef STALE
    if
    :: executing != NONE -> r = executing; readOf[me] = r; members[r]++; belongs[me] = true; goto share
    :: else
    fi;
#endif
    if
    :: pending == NONE -> pending = reads; before[reads] = executing; reads++
    :: else
    fi;
    r = pending; readOf[me] = r; members[r]++; asking[r]++; belongs[me] = true; asks[me] = true;
    if /* whoever is not rejected must not need to be */
    :: rejected = true
    :: true
    fi
  }
  if
  :: before[r] != NONE ->
     if
     :: done[before[r]]
     :: gone[me] -> goto left
     fi
  :: else
  fi;

  if /* AskForStorage */
  :: rejected
  :: !rejected && started[r]
  :: !rejected && gone[me] -> rejected = true
  :: atomic { !rejected && free >= STORAGE -> free = free - STORAGE } ->
     atomic { /* start */
#ifdef ABSENT
       first = (pending == r);
#else
       first = (pending == r && belongs[me]);
#endif
       if
       :: first -> started[r] = true; pending = NONE; executing = r; alone = (members[r] <= 1); shareable[r] = !alone
       :: else
       fi
     }
     if
     :: first ->
        run Reader(r);
        if
        :: done[r] -> give(STORAGE)
        :: !alone && gone[me] ->
           atomic {
             if
#ifndef HANDOVER
             :: done[r] -> free = free + STORAGE
#endif
             :: else -> handed[r] = true
             fi
           }
        fi;
        atomic { assert(gone[me] || result[r] >= arrived); goto left }
     :: else -> give(STORAGE)
     fi
  fi;
  if
  :: rejected ->
     atomic { giveUpLocked(me) };
     if
     :: started[r]
     :: hopeless[r] -> goto left
     :: gone[me] -> goto left
     fi
  :: else
  fi;

share:
  if
  :: done[r]
  :: gone[me] -> goto left
  fi;
  atomic { /* AskAgain, and the end of the list */
    free >= CACHE ->
    assert(gone[me] || (result[r] >= arrived && !cancelled[r] && shareable[r]))
  }
left:
  leave(me);
#ifdef HOLD
  give(CACHE)
#endif
}

/* One client may leave. Then context.AfterFunc runs on a goroutine of its own. */
proctype Client(byte list) { gone[list] = true; leave(list) }

proctype Writer() { revision++ }

init {
  byte i;
  atomic {
    run Writer();
    select(i : 0 .. LISTS);
    if
    :: i < LISTS -> run Client(i)
    :: else
    fi;
    for (i : 0 .. LISTS - 1) { run List(i) }
  }
  _nr_pr == 1;
  assert(free == SEATS && pending == NONE && executing == NONE)
}
