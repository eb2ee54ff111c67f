package dev.repartee.a2a.wire;

import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskArtifactUpdateEvent;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Estimates the memory of tasks and their events in bytes. */
public final class TaskSize {
  /** The estimated memory of an object with a few strings. */
  private static final int OBJECT = 200;

  /** The estimated memory of a string without its characters. */
  private static final int TEXT = 50;

  private TaskSize() {}

  /** Returns the memory that an event adds to its task, or the whole memory for a task. */
  public static long of(StreamResponse event) {
    if (event instanceof Task task) {
      return of(task);
    } else if (event instanceof TaskStatusUpdateEvent update) {
      return size(update.status().message());
    } else if (event instanceof TaskArtifactUpdateEvent update) {
      return update.append() ? size(update.artifact().parts()) : size(update.artifact());
    }
    return event instanceof Message message ? size(message) : 0;
  }

  /** Returns the memory of a task. */
  public static long of(Task task) {
    long size = OBJECT
        + length(task.id(), task.contextId())
        + length(task.metadata())
        + size(task.status().message());
    for (Message message : task.history()) {
      size += size(message);
    }
    for (Artifact artifact : task.artifacts()) {
      size += size(artifact);
    }
    return size;
  }

  private static long size(Artifact artifact) {
    return OBJECT
        + length(artifact.artifactId(), artifact.name(), artifact.description())
        + length(artifact.metadata())
        + texts(artifact.extensions())
        + size(artifact.parts());
  }

  private static long size(@Nullable Message message) {
    return message == null
        ? 0
        : OBJECT
            + length(message.messageId(), message.contextId(), message.taskId())
            + length(message.metadata())
            + texts(message.extensions())
            + texts(message.referenceTaskIds())
            + size(message.parts());
  }

  private static long length(@Nullable String... texts) {
    long length = 0;
    for (String text : texts) {
      length += text == null ? 0 : text.length();
    }
    return length;
  }

  private static long length(@Nullable Json json) {
    return json == null ? 0 : json.length();
  }

  private static long texts(List<String> texts) {
    long size = 0;
    for (String text : texts) {
      size += TEXT + text.length();
    }
    return size;
  }

  private static long size(List<Part> parts) {
    long size = 0;
    for (Part part : parts) {
      size += OBJECT / 2 + length(part.filename(), part.mediaType()) + length(part.metadata());
      if (part instanceof Part.Text text) {
        size += text.text().length();
      } else if (part instanceof Part.Raw file) {
        size += file.raw().length;
      } else if (part instanceof Part.Url file) {
        size += file.url().length();
      } else if (part instanceof Part.Data data) {
        size += data.data().length();
      }
    }
    return size;
  }
}
