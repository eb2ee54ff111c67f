package dev.repartee.acp.runs;

import java.util.List;
import java.util.Optional;

/**
 * Estimates the memory of messages in bytes, and bounds the memory of several runs. Thread-safe.
 */
final class Budget {
  /** The default bound: a sixteenth of the heap, 16 MiB at least. */
  static final long BYTES = Math.max(16 << 20, Runtime.getRuntime().maxMemory() / 16);

  /** The estimated memory of an object with a few short strings. */
  static final int OBJECT = 200;

  private final long most;
  private long used; // guarded by this

  Budget(long most) {
    this.most = most;
  }

  long most() {
    return most;
  }

  /** Reserves memory. Returns false if the bound would be exceeded. */
  synchronized boolean take(long bytes) {
    if (used + bytes > most) {
      return false;
    }
    used += bytes;
    return true;
  }

  /** Releases reserved memory. */
  synchronized void give(long bytes) {
    used -= bytes;
  }

  static long size(List<RunMessage> messages) {
    long size = 0;
    for (RunMessage each : messages) {
      size += OBJECT + each.role().length();
      for (MessagePart part : each.parts()) {
        size += size(part);
      }
    }
    return size;
  }

  static long size(MessagePart part) {
    return OBJECT
        + part.contentType().length()
        + length(part.content())
        + length(part.contentEncoding())
        + length(part.contentUrl())
        + length(part.name())
        + part.metadata().map(metadata -> (long) metadata.length()).orElse(0L);
  }

  private static long length(Optional<String> text) {
    return text.map(present -> (long) present.length()).orElse(0L);
  }
}
