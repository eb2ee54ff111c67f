package dev.repartee.acp.runs;

import dev.repartee.Param;
import dev.repartee.json.UnknownMembers;
import java.util.List;
import java.util.Optional;

/**
 * A message of a run.
 *
 * @param role {@code user}, {@code agent} or {@code agent/NAME}
 * @param parts the content
 * @param createdAt the time of the first part (ISO 8601)
 * @param completedAt the time of the last part (ISO 8601)
 */
@UnknownMembers.Policy(UnknownMembers.IGNORE)
public record RunMessage(
    @Param(defaultsTo = "\"user\"") String role,
    List<MessagePart> parts,
    @Param("created_at") Optional<String> createdAt,
    @Param("completed_at") Optional<String> completedAt) {
  /** Returns a message of the user with plain text. */
  public static RunMessage user(String text) {
    return of("user", List.of(MessagePart.text(text)));
  }

  /** Returns a message without times. */
  public static RunMessage of(String role, List<MessagePart> parts) {
    return new RunMessage(role, List.copyOf(parts), Optional.empty(), Optional.empty());
  }

  /** Returns the plain text of all parts. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (MessagePart each : parts) {
      if (each.contentType().startsWith("text/")
          && !each.contentEncoding().orElse("plain").equals("base64")) {
        text.append(each.content().orElse(""));
      }
    }
    return text.toString();
  }
}
