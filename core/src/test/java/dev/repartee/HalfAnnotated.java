package dev.repartee;

/** A class that annotates one of its methods. */
public final class HalfAnnotated {
  @Rpc(lane = Lane.INLINE)
  public String name() {
    return "half";
  }

  public String whoami() {
    return "half";
  }

  public void reset() {}

  /** Cannot be served, so it is no mistake that it is not. */
  public Thread thread() {
    return Thread.currentThread();
  }
}
