package dev.repartee.agents.run;

/**
 * The permit of one attempt in the gate that all runs share. The attempt releases it while a human
 * has its question; otherwise a client that does not answer would stop the calls of all others.
 * Before the answer reaches the agent, the attempt acquires a permit again. Thread-safe.
 */
final class Permit {
  private final Gate gate;
  private final CancellationScope attempt;

  // Guarded by this.
  private boolean held = true;
  private boolean ended;

  /** Creates the permit of an attempt that has entered the gate. */
  Permit(Gate gate, CancellationScope attempt) {
    this.gate = gate;
    this.attempt = attempt;
  }

  /** Releases the permit, because a human has a question. */
  void pause() {
    if (change(false)) {
      gate.leave();
    }
  }

  /**
   * Runs an action when the attempt has a permit.
   *
   * @param answer passes the answer of the human on; also runs if the attempt has ended
   */
  void resume(Runnable answer) {
    if (isHeldOrEnded()) {
      answer.run();
      return;
    }
    gate.enter(
        attempt,
        () -> {
          if (!change(true)) {
            gate.leave(); // another answer has entered the gate meanwhile, or the attempt has ended
          }
          answer.run();
        },
        answer);
  }

  /** Releases the permit for good. */
  void end() {
    boolean given;
    synchronized (this) {
      given = held;
      held = false;
      ended = true;
    }
    if (given) {
      gate.leave();
    }
  }

  private synchronized boolean isHeldOrEnded() {
    return held || ended;
  }

  /** Returns whether this has changed the state. */
  private synchronized boolean change(boolean to) {
    if (held == to || ended) {
      return false;
    }
    held = to;
    return true;
  }
}
