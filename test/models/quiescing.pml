/* The locks of a priority level that quiesces: packages pkg/apf/engine (engine.go, level.go) and
   pkg/apf/queueset (set.go, admission.go). The order is Engine.mu, level.mu, the lock of the Set. The
   end of a request calls onIdle, which drops a level that has drained, without a lock.

   Requests arrive and end while the configuration of their level is removed, and may return; while
   the engine rebalances, and a request that is told what was decided uses the engine. Verified: no
   deadlock; a level that is configured exists; one that is not, and has no requests, is dropped.

   Each fault must be found:
     LOCKED    the end of a request calls onIdle with the lock of the Set
     ORDER     quiesce asks whether the level is idle before it registers onIdle
     RECHECK   dropDrained does not ask again, with the lock of the engine, whether the level has drained
     TOLD      requests are told with the lock of the engine */

#define REQUESTS 3

bool engine, level, set;                           /* locks */
byte inUse;                                        /* seats, with the lock of the Set */
bool configured = true, exists = true, quiescing, onIdle;

inline lock(m)   { atomic { !m -> m = true } }
inline unlock(m) { m = false }

/* drained is of level, which asks the Set whether it is idle. */
inline drained(answer) {
  lock(level);
  answer = false;
  if
  :: quiescing -> lock(set); answer = (inUse == 0); unlock(set)
  :: else
  fi;
  unlock(level)
}

/* setLimits is SetLimits or Configure of the Set. */
inline setLimits() { lock(set); unlock(set) }

inline divide() {
  if
  :: exists -> lock(level); setLimits(); unlock(level)
  :: else
  fi
}

/* unlockEngine tells requests what was decided, and they may use the engine. */
inline unlockEngine() {
#ifdef TOLD
  lock(engine);
  unlock(engine);
#else
  unlock(engine);
  lock(engine);
#endif
  unlock(engine)
}

inline dropDrained(answer) {
  drained(answer);
  if
  :: answer ->
     lock(engine);
#ifndef RECHECK
     if
     :: exists -> drained(answer)
     :: else -> answer = false
     fi;
#endif
     if
     :: answer -> exists = false; divide()
     :: else
     fi;
     unlockEngine()
  :: else
  fi
}

proctype Request() {
  bool answer;
  lock(set); inUse++; unlock(set); /* Arrive */
  lock(set); inUse--;              /* Finish */
#ifdef LOCKED
  if
  :: onIdle -> dropDrained(answer)
  :: else
  fi;
  unlock(set)
#else
  unlock(set);
  if /* noteEnd */
  :: onIdle -> dropDrained(answer)
  :: else
  fi
#endif
}

proctype Update() {
  bool answer;
  lock(engine);
  configured = false;
#ifdef ORDER
  lock(level); quiescing = true; unlock(level);
  drained(answer);
  onIdle = true;
#else
  lock(level); quiescing = true; onIdle = true; unlock(level);
  drained(answer);
#endif
  if
  :: answer -> exists = false
  :: else
  fi;
  unlockEngine();

  if /* the configuration returns */
  :: lock(engine);
     configured = true;
     if
     :: exists -> lock(level); setLimits(); quiescing = false; onIdle = false; unlock(level)
     :: else -> exists = true; quiescing = false; onIdle = false /* a new level, with a Set of its own */
     fi;
     unlockEngine()
  :: true
  fi
}

proctype Rebalance() {
  lock(engine);
  if
  :: exists ->
     lock(set); unlock(set); /* ResetDemand, before the lock of the level */
     lock(level); unlock(level);
     divide()
  :: else
  fi;
  unlockEngine()
}

init {
  byte i;
  atomic {
    for (i : 1 .. REQUESTS) { run Request() }
    run Update();
    run Rebalance()
  }
  _nr_pr == 1;
  assert(inUse == 0 && exists == configured)
}
