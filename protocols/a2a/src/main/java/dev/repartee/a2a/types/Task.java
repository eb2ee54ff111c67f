package dev.repartee.a2a.types;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A unit of work of an agent (section 4.1.1).
 *
 * @param id the id, which the server has created
 * @param contextId the conversation; null if the peer has not sent it
 * @param status the current status
 * @param artifacts the results so far
 * @param history the earlier messages, oldest first
 * @param metadata a JSON object, or null
 */
public record Task(
    String id,
    @Nullable String contextId,
    TaskStatus status,
    List<Artifact> artifacts,
    List<Message> history,
    @Nullable Json metadata)
    implements SendMessageResponse {
  /** Copies the lists. */
  public Task {
    Objects.requireNonNull(id, "id");
    artifacts = List.copyOf(artifacts);
    history = List.copyOf(history);
  }

  /** Returns the current state. */
  public TaskState state() {
    return status.state();
  }

  /** Returns this task with another status. */
  public Task with(TaskStatus status) {
    return new Task(id, contextId, status, artifacts, history, metadata);
  }

  /** Returns this task with one more message in its history. */
  public Task with(Message message) {
    List<Message> longer = new ArrayList<>(history);
    longer.add(message);
    return new Task(id, contextId, status, artifacts, longer, metadata);
  }

  /** Returns this task with these results. */
  public Task withArtifacts(List<Artifact> artifacts) {
    return new Task(id, contextId, status, artifacts, history, metadata);
  }

  /**
   * Returns this task with the last messages of its history.
   *
   * @param most the maximum number of messages; null for all
   */
  public Task withHistory(@Nullable Integer most) {
    return most == null || history.size() <= most
        ? this
        : new Task(
            id,
            contextId,
            status,
            artifacts,
            history.subList(history.size() - most, history.size()),
            metadata);
  }

  /**
   * Returns this task after an event. A new status moves the message of the previous status to the
   * history. An artifact is added, replaced or extended.
   */
  public Task after(StreamResponse event) {
    if (event instanceof TaskStatusUpdateEvent update) {
      Message before = status.message();
      return (before == null ? this : with(before)).with(update.status());
    } else if (event instanceof TaskArtifactUpdateEvent update) {
      return withArtifacts(merged(update));
    }
    return event instanceof Task newer && newer.id().equals(id) ? newer : this;
  }

  private List<Artifact> merged(TaskArtifactUpdateEvent update) {
    List<Artifact> all = new ArrayList<>(artifacts);
    Artifact given = update.artifact();
    for (int i = 0; i < all.size(); i++) {
      Artifact known = all.get(i);
      if (known.artifactId().equals(given.artifactId())) {
        if (update.append()) {
          List<Part> parts = new ArrayList<>(known.parts());
          parts.addAll(given.parts());
          all.set(i, known.with(parts));
        } else {
          all.set(i, given);
        }
        return all;
      }
    }
    all.add(given);
    return all;
  }
}
