package dev.repartee.agents;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.TypeToken;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of an answer to a question of consent. Only an unmistakable yes is consent: the author
 * of an answer may be a language model or a person, who answers with a sentence or asks back.
 *
 * <table>
 * <caption>The answers</caption>
 * <tr><th></th><th>text</th><th>JSON</th></tr>
 * <tr><td>{@link #YES}</td>
 *   <td>{@code yes}, {@code y}, {@code ok}, {@code okay}, {@code accept}, {@code accepted}, {@code
 *   agree}, {@code agreed}, {@code approve}, {@code approved}</td>
 *   <td>{@code true}, <code>{"granted": true}</code>, <code>{"action": "accept"}</code>, or such a
 *   text as a string</td></tr>
 * <tr><td>{@link #NO}</td>
 *   <td>{@code no}, {@code n}, {@code cancel}, {@code decline}, {@code declined}, {@code deny},
 *   {@code denied}, {@code refuse}, {@code refused}, {@code reject}, {@code rejected}</td>
 *   <td>{@code false}, <code>{"granted": false}</code>, <code>{"action": "decline"}</code>, <code>
 *   {"action": "cancel"}</code>, or such a text as a string</td></tr>
 * <tr><td>{@link #UNCLEAR}</td><td colspan="2">all other answers</td></tr>
 * </table>
 *
 * <p>In a text, upper case, white space at both ends, and full stops and exclamation marks at the
 * end make no difference. An object with both members must have the same meaning in both. An object
 * that has a name twice is unclear, and so is a yes with a {@code content} that refuses. Its other
 * members do not count.
 */
public enum Consent {
  /** The author agrees. */
  YES,
  /** The author refuses. */
  NO,
  /** The author must be asked again; without another answer, the question is refused. */
  UNCLEAR;

  /** At least the length of the longest text with a meaning. */
  private static final int LONGEST = 20;

  private static final TypeToken<Map<String, Json>> MEMBERS = new TypeToken<>() {};

  private static final Set<String> YES_TEXTS = Set.of(
      "yes", "y", "ok", "okay", "accept", "accepted", "agree", "agreed", "approve", "approved");

  private static final Set<String> NO_TEXTS = Set.of(
      "no",
      "n",
      "cancel",
      "decline",
      "declined",
      "deny",
      "denied",
      "refuse",
      "refused",
      "reject",
      "rejected");

  /** Returns the meaning of a text. The time is linear in its length. */
  public static Consent of(String text) {
    String stripped = text.strip();
    int end = stripped.length();
    while (end > 0 && (stripped.charAt(end - 1) == '.' || stripped.charAt(end - 1) == '!')) {
      end--;
    }
    if (end > LONGEST) {
      return UNCLEAR;
    }
    if (stripped.chars().limit(end).anyMatch(c -> c > 127)) {
      return UNCLEAR; // the Kelvin sign becomes k in lower case
    }
    String word = stripped.substring(0, end).toLowerCase(Locale.ROOT);
    return YES_TEXTS.contains(word) ? YES : NO_TEXTS.contains(word) ? NO : UNCLEAR;
  }

  /** Returns the meaning of a JSON value. */
  public static Consent of(Json answer) {
    return switch (answer.kind()) {
      case BOOLEAN -> of(answer, Json.TRUE, Json.FALSE);
      case STRING -> of(answer.as(String.class));
      case OBJECT -> ofObject(answer);
      default -> UNCLEAR;
    };
  }

  private static Consent ofObject(Json answer) {
    Map<String, Json> members;
    try {
      members = answer.as(MEMBERS);
    } catch (JsonException e) {
      return UNCLEAR; // a name occurs twice
    }
    Consent meaning = ofMembers(members.get("granted"), members.get("action"));
    Json content = members.get("content");
    return meaning == YES && content != null && refuses(content) ? UNCLEAR : meaning;
  }

  /** Returns whether the content of an agreement contradicts it. */
  private static boolean refuses(Json content) {
    Consent meaning = of(content);
    boolean repeats = content.kind() == Json.Kind.OBJECT
        && (content.get("granted") != null || content.get("action") != null);
    return meaning == NO || repeats && meaning != YES;
  }

  private static Consent ofMembers(@Nullable Json granted, @Nullable Json action) {
    Consent first = granted == null ? UNCLEAR : of(granted, Json.TRUE, Json.FALSE);
    if (action == null) {
      return first;
    }
    Consent second =
        action.equals(Json.of("cancel")) ? NO : of(action, Json.of("accept"), Json.of("decline"));
    return granted == null || first == second ? second : UNCLEAR;
  }

  private static Consent of(Json value, Json yes, Json no) {
    return value.equals(yes) ? YES : value.equals(no) ? NO : UNCLEAR;
  }
}
