package dev.repartee.acp.runs;

import java.util.ArrayList;
import java.util.List;

/** The last 1,000 messages of a session, with at most 16 Mi characters. Thread-safe. */
final class Conversation {
  private static final int MOST = 1_000;
  private static final long MOST_BYTES = 16 << 20;

  private final String id;
  // Guarded by this.
  private final List<RunMessage> messages = new ArrayList<>();
  private int dropped; // the number of older messages
  private long bytes; // the estimated memory of the messages

  /**
   * The kept messages at one moment.
   *
   * @param first the number of the first message; the messages of a session are numbered from 0
   */
  record Kept(int first, List<RunMessage> messages) {}

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

  /** Returns the kept messages with the number of the first one. */
  synchronized Kept kept() {
    return new Kept(dropped, List.copyOf(messages));
  }

  /** Adds the messages of a run, and drops the oldest messages. */
  synchronized void add(List<RunMessage> input, List<RunMessage> output) {
    messages.addAll(input);
    messages.addAll(output);
    bytes += Budget.size(input) + Budget.size(output);
    int old = 0;
    while (messages.size() - old > MOST || bytes > MOST_BYTES) {
      bytes -= Budget.size(messages.subList(old, old + 1));
      old++;
    }
    messages.subList(0, old).clear();
    dropped += old;
  }

  /** Returns the estimated memory of the messages. */
  synchronized long bytes() {
    return bytes;
  }
}
