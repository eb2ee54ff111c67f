package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * Counts the calls of one {@link Scheduler}, and adds them to the counts of its server. The lock of
 * the scheduler guards {@link #countFor} and the running calls.
 */
final class CallCounts {
  /** Guarded by the scheduler. */
  private int running;

  /** The calls of this burst that were served from the read buffer. Used by the reader only. */
  private int inline;

  /** Null for a peer without a server. */
  private volatile @Nullable ServerStatus server;

  /** Counts for this server from now on; the calls that run already were started here. */
  void countFor(@Nullable ServerStatus server) {
    if (this.server == null && server != null) {
      this.server = server;
      server.started(running);
    }
  }

  /** Returns the counts of the server; null for a peer without one. */
  @Nullable ServerStatus server() {
    return server;
  }

  int running() {
    return running;
  }

  /** Counts a call that the scheduler starts. */
  void started() {
    running++;
    ServerStatus counted = server;
    if (counted != null) {
      counted.started(1);
    }
  }

  /** Counts the end of a call that was started. */
  void finished() {
    running--;
    ServerStatus counted = server;
    if (counted != null) {
      counted.finished();
    }
  }

  /** Counts a call that is served from the read buffer. For the reader. */
  void servedInline() {
    inline++;
  }

  /** Adds the calls that the reader has counted to the counts of the server. For the reader. */
  void publish() {
    int calls = inline;
    if (calls != 0) {
      inline = 0;
      ServerStatus counted = server;
      if (counted != null) {
        counted.servedInline(calls);
      }
    }
  }

  /** Counts an error response, or a notification that failed. On any thread. */
  void failed() {
    ServerStatus counted = server;
    if (counted != null) {
      counted.failed();
    }
  }
}
