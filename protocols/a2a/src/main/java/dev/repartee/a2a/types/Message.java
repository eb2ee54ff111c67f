package dev.repartee.a2a.types;

import dev.repartee.json.Json;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A message between a client and an agent (section 4.1.4).
 *
 * @param messageId the id that its sender has created
 * @param contextId the conversation; null if the agent has to begin one
 * @param taskId the task that the message continues, or null
 * @param role the sender
 * @param parts the content
 * @param metadata a JSON object, or null
 * @param extensions the URIs of the extensions that this message uses
 * @param referenceTaskIds further tasks that the message is about
 */
public record Message(
    String messageId,
    @Nullable String contextId,
    @Nullable String taskId,
    Role role,
    List<Part> parts,
    @Nullable Json metadata,
    List<String> extensions,
    List<String> referenceTaskIds)
    implements SendMessageResponse {
  /** Copies the lists. */
  public Message {
    Objects.requireNonNull(messageId, "messageId");
    parts = List.copyOf(parts);
    extensions = List.copyOf(extensions);
    referenceTaskIds = List.copyOf(referenceTaskIds);
  }

  /** Returns a message of a client with a new id and this text. */
  public static Message user(String text) {
    return of(Role.USER, Part.text(text));
  }

  /** Returns a message of an agent with a new id and this text. */
  public static Message agent(String text) {
    return of(Role.AGENT, Part.text(text));
  }

  /** Returns a message with a new id and these parts. */
  public static Message of(Role role, Part... parts) {
    return new Message(
        UUID.randomUUID().toString(), null, null, role, List.of(parts), null, List.of(), List.of());
  }

  /** Returns this message with the id of a conversation and of a task, if that is not null. */
  public Message in(@Nullable String contextId, @Nullable String taskId) {
    return new Message(
        messageId, contextId, taskId, role, parts, metadata, extensions, referenceTaskIds);
  }

  /** Returns this message as a continuation of a task. */
  public Message continuing(Task task) {
    return in(task.contextId(), task.id());
  }

  /** Returns the texts of all text parts, joined with line feeds. */
  public String text() {
    return text(parts);
  }

  static String text(List<Part> parts) {
    return parts.stream()
        .filter(Part.Text.class::isInstance)
        .map(part -> ((Part.Text) part).text())
        .collect(Collectors.joining("\n"));
  }
}
