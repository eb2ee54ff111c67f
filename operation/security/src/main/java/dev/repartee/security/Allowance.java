package dev.repartee.security;

import org.jspecify.annotations.Nullable;

/**
 * The token buckets and the running calls of one caller. A bucket gains tokens with time, up to its
 * burst, and each call spends some. The lock is this; it is held for some arithmetic only.
 */
final class Allowance {
  /**
   * A limit for each second.
   *
   * @param perSecond the tokens that a bucket gains in a second
   * @param burst the size of the bucket
   */
  record Rate(double perSecond, double burst) {
    /** Returns the time until a bucket has gained these tokens, in whole seconds, at least 1. */
    private long seconds(double tokens) {
      return Math.max(1, (long) Math.ceil(Math.min(tokens / perSecond, Integer.MAX_VALUE)));
    }
  }

  /** The limits; null or 0 for none. */
  record Limits(@Nullable Rate calls, @Nullable Rate bytes, int inFlight) {}

  /**
   * A refusal.
   *
   * @param limit the limit: {@code calls}, {@code bytes} or {@code inFlight}
   */
  record Excess(String limit, long retryAfter) {}

  private static final double NANOS = 1e9;

  private final Limits limits;
  private double calls;
  private double bytes;
  private long filled;
  private int running;

  /** Creates an allowance with full buckets. */
  Allowance(Limits limits, long now) {
    this.limits = limits;
    this.calls = limits.calls == null ? 0 : limits.calls.burst;
    this.bytes = limits.bytes == null ? 0 : limits.bytes.burst;
    this.filled = now;
  }

  /**
   * Spends tokens for a call, and counts it as running. A call that is larger than a full bucket
   * spends tokens in advance.
   *
   * @return null if the call is admitted
   */
  synchronized @Nullable Excess acquire(long now, long size) {
    fill(now);
    if (limits.inFlight > 0 && running >= limits.inFlight) {
      return new Excess("inFlight", 1);
    }
    if (limits.calls != null && calls < 1) {
      return new Excess("calls", limits.calls.seconds(1 - calls));
    }
    if (limits.bytes != null && bytes <= 0) {
      return new Excess("bytes", limits.bytes.seconds(1 - bytes));
    }
    calls -= 1;
    bytes -= size;
    running++;
    return null;
  }

  private void fill(long now) {
    double seconds = Math.max(0, now - filled) / NANOS;
    filled = Math.max(filled, now);
    if (limits.calls != null) {
      calls = Math.min(limits.calls.burst, calls + seconds * limits.calls.perSecond);
    }
    if (limits.bytes != null) {
      bytes = Math.min(limits.bytes.burst, bytes + seconds * limits.bytes.perSecond);
    }
  }

  /** Counts a call as ended. */
  synchronized void release() {
    running--;
  }

  /** Returns whether calls are running. */
  synchronized boolean isInUse() {
    return running > 0;
  }
}
