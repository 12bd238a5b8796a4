/* The locks of a priority level that quiesces: packages pkg/apf/engine (engine.go, level.go) and
   pkg/apf/queueset (lifecycle.go, lockedpool.go, set.go). The order is Engine.mu, level.mu, the lock
   of the Set, the lock of a shard. Requests find seats in an open pool under the lock of a shard alone.
   Their end calls onIdle, which drops a level that has drained, without a lock.

   Requests arrive and end while the configuration of their level is removed, and may return; while
   the engine rebalances, and an Observer that is told of a change uses the engine. Verified: no
   deadlock; a level that is configured exists; one that is not, and has no requests, is dropped.

   Each fault must be found:
     LOCKED    the end of a request calls onIdle with the lock of the Set
     ORDER     quiesce asks whether the level is idle before it registers onIdle
     RECHECK   dropDrained does not ask again, with the lock of the engine, whether the level has drained
     TOLD      the Observer is told with the lock of the engine */

#define REQUESTS 2

bool engine, level, set, shard;                    /* locks */
bool open = true;                                  /* the pool, with the lock of the shard */
byte inUse;                                        /* seats, with the lock that seated them */
bool configured = true, exists = true, quiescing, onIdle;

inline lock(m)   { atomic { !m -> m = true } }
inline unlock(m) { m = false }

/* drained is of level; idle is of Set and asks the shards if the pool is open. */
inline drained(answer) {
  lock(level);
  answer = false;
  if
  :: quiescing ->
     lock(set); lock(shard); answer = (inUse == 0); unlock(shard); unlock(set)
  :: else
  fi;
  unlock(level)
}

/* setLimits is SetLimits or Configure of the Set: it may close the pool, and open it again. */
inline setLimits() {
  lock(set); lock(shard);
  if
  :: open = false
  :: open = true
  fi;
  unlock(shard); unlock(set)
}

inline divide() {
  if
  :: exists -> lock(level); setLimits(); unlock(level)
  :: else
  fi
}

/* unlockEngine tells an Observer, which asks the engine for a report. */
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
  bool seated, answer;
  lock(shard); /* Arrive */
  if
  :: open -> inUse++; seated = true
  :: else
  fi;
  unlock(shard);
  if
  :: !seated ->
     lock(set);
     lock(shard); open = false; unlock(shard); /* close, or borrow: with both locks */
     inUse++;
     unlock(set)
  :: else
  fi;
  seated = false;

  lock(shard); /* Finish */
  if
  :: open -> inUse--; seated = true
  :: else
  fi;
  unlock(shard);
  if
  :: !seated ->
     lock(set);
     inUse--;
     if /* reopen */
     :: lock(shard); open = true; unlock(shard)
     :: true
     fi;
#ifdef LOCKED
     if
     :: onIdle -> dropDrained(answer)
     :: else
     fi;
     unlock(set);
     goto end
#else
     unlock(set)
#endif
  :: else
  fi;
  if /* noteEnd */
  :: onIdle -> dropDrained(answer)
  :: else
  fi;
end:
  skip
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
     lock(set); lock(shard); unlock(shard); unlock(set); /* ResetDemand, before the lock of the level */
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
