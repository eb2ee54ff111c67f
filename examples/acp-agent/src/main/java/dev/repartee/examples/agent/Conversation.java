package dev.repartee.examples.agent;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages of a session; the last 1,000. Thread-safe. */
final class Conversation {
  /** A message of the user or of the agent. */
  record Message(boolean isOfUser, String text) {}

  private static final int MOST = 1_000;

  private final String cwd;
  private final List<Message> messages = new ArrayList<>(); // guarded by this
  private @Nullable String title; // guarded by this

  Conversation(String cwd) {
    this.cwd = cwd;
  }

  String cwd() {
    return cwd;
  }

  synchronized @Nullable String title() {
    return title;
  }

  synchronized void title(String title) {
    this.title = title;
  }

  synchronized void add(boolean isOfUser, String text) {
    if (messages.size() == MOST) {
      messages.remove(0);
    }
    messages.add(new Message(isOfUser, text));
  }

  synchronized List<Message> messages() {
    return List.copyOf(messages);
  }

  /** Returns the number of characters of all messages. */
  synchronized long size() {
    return messages.stream().mapToLong(each -> each.text().length()).sum();
  }
}
