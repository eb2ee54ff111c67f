package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * Counts the calls of one {@link Scheduler}, and adds them to the counts of its server. The lock of
 * the scheduler guards {@link #countFor} and the running calls.
 */
final class CallCounts {
  /** Guarded by the scheduler. */
  private int running;

  // Of this burst; used by the reader only.
  private int inline;
  private long received;
  private long sent;

  /** Null for a peer without a server. */
  private volatile @Nullable ServerStatus server;

  /**
   * Counts for this server from now on; the calls that run or wait already were started or queued
   * here.
   */
  void countFor(@Nullable ServerStatus server, int waiting) {
    if (this.server == null && server != null) {
      this.server = server;
      server.started(running);
      server.queued(waiting);
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

  /** Counts a call that has to wait. The lock of the scheduler guards the queue. */
  void queued() {
    ServerStatus counted = server;
    if (counted != null) {
      counted.queued(1);
    }
  }

  /** Counts the end of the wait of a call. The lock of the scheduler guards the queue. */
  void dequeued() {
    ServerStatus counted = server;
    if (counted != null) {
      counted.dequeued();
    }
  }

  /** Counts a call that is served from the read buffer. For the reader. */
  void servedInline() {
    inline++;
  }

  /** Counts a message that has arrived. For the reader. */
  void received(int bytes) {
    received += bytes;
  }

  /** Counts an answer to a call that was served from the read buffer. For the reader. */
  void sentInline(int bytes) {
    sent += bytes;
  }

  /** Counts a message that is sent. On any thread. */
  void sent(int bytes) {
    ServerStatus counted = server;
    if (counted != null) {
      counted.sent(bytes);
    }
  }

  /** Adds the counts of the reader to the counts of the server. For the reader. */
  void publish() {
    if (inline + received + sent == 0) {
      return;
    }
    ServerStatus counted = server;
    if (counted != null) {
      counted.servedInline(inline);
      counted.received(received);
      counted.sent(sent);
    }
    inline = 0;
    received = 0;
    sent = 0;
  }

  /** Counts a call or message that was refused. On any thread. */
  void refused(String reason) {
    ServerStatus counted = server;
    if (counted != null) {
      counted.refused(reason);
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
