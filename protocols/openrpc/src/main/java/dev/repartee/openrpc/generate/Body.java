package dev.repartee.openrpc.generate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The content of a {@link Declaration}. */
sealed interface Body {
  /**
   * An object with known members.
   *
   * @param additional the type of further members; null if the document does not state it
   */
  record Members(List<Member> members, @Nullable Type additional) implements Body {}

  /**
   * A member of an object.
   *
   * @param name the name in JSON
   * @param required whether the member is always present; it may still be null
   */
  record Member(String name, Type type, boolean required, Doc doc) {}

  /** One of several strings. */
  record Values(List<String> values) implements Body {}

  /**
   * One of several types.
   *
   * @param tag the name of the member whose value names the alternative; null if the form of a
   *     value decides
   */
  record Union(@Nullable String tag, List<Alternative> alternatives) implements Body {}

  /**
   * A type in a union.
   *
   * @param label a name for this alternative within the union
   * @param tag the value of the member that names this alternative
   */
  record Alternative(Type type, String label, @Nullable String tag, Doc doc) {}

  /** Another name for a type. */
  record Alias(Type type) implements Body {}
}
