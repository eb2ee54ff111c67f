package dev.repartee.acp.runs;

import java.util.ArrayList;
import java.util.List;

/** The messages of a session; the last 1,000, or the last 16 Mi characters. Thread-safe. */
final class Conversation {
  private static final int MOST = 1_000;
  private static final long MOST_BYTES = 16 << 20;

  private final String id;
  private final List<RunMessage> messages = new ArrayList<>(); // guarded by this
  private int dropped; // guarded by this
  private long bytes; // guarded by this

  Conversation(String id) {
    this.id = id;
  }

  String id() {
    return id;
  }

  synchronized List<RunMessage> messages() {
    return List.copyOf(messages);
  }

  /** Returns the number of the first message that is kept. */
  synchronized int first() {
    return dropped;
  }

  synchronized void add(List<RunMessage> input, List<RunMessage> output) {
    messages.addAll(input);
    messages.addAll(output);
    bytes += Budget.size(input) + Budget.size(output);
    int old = 0;
    while (messages.size() - old > MOST || bytes > MOST_BYTES) {
      bytes -= Budget.size(messages.subList(old, ++old));
    }
    messages.subList(0, old).clear();
    dropped += old;
  }

  /** Returns the estimated memory of the messages. */
  synchronized long bytes() {
    return bytes;
  }
}
