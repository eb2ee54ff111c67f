package dev.repartee.acp.runs;

import java.util.ArrayList;
import java.util.List;

/** The messages of a session; the last 1,000. Thread-safe. */
final class Conversation {
  private static final int MOST = 1_000;

  private final String id;
  private final List<RunMessage> messages = new ArrayList<>(); // guarded by this
  private int dropped; // guarded by this

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
    int old = messages.size() - MOST;
    if (old > 0) {
      messages.subList(0, old).clear();
      dropped += old;
    }
  }
}
