package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The additional members of a request or notification. */
final class MessageMembers {
  /** The attribute of a served call with its additional members. */
  private static final Attribute<Map<String, Json>> KEY = Attribute.named("members");

  /** The maximum number of additional members of a message. */
  private static final int MOST = 16;

  private static final Set<String> DEFINED =
      Set.of("jsonrpc", "id", "method", "params", "result", "error");

  private MessageMembers() {}

  /**
   * Returns the members with one added. It replaces a member with the same name.
   *
   * @throws IllegalArgumentException if it is not allowed
   */
  static Map<String, Json> with(Map<String, Json> present, String name, Json value) {
    if (DEFINED.contains(name)) {
      throw new IllegalArgumentException("'" + name + "' is a member that JSON-RPC defines");
    }
    Map<String, Json> all = new LinkedHashMap<>(present);
    all.put(name, value);
    if (all.size() > MOST) {
      throw new IllegalArgumentException("a message has at most " + MOST + " additional members");
    }
    return all;
  }

  /** Returns an additional member in the attributes of a call; null if there is none. */
  static @Nullable Json in(Attributes attributes, String name) {
    Map<String, Json> members = attributes.get(KEY);
    return members == null ? null : members.get(name);
  }

  /** Returns the number of bytes of the members. */
  static int size(Map<String, Json> members) {
    return members.entrySet().stream()
        .mapToInt(member -> member.getKey().length() + member.getValue().length())
        .sum();
  }

  /** Returns the number of bytes of the members in the attributes that {@link #of} has returned. */
  static int size(Connection connection, Attributes attributes) {
    Map<String, Json> members = attributes == connection.attributes() ? null : attributes.get(KEY);
    return members == null ? 0 : size(members);
  }

  /** Returns the attributes of a connection, with the additional members of a message if any. */
  static Attributes of(Connection connection, Element element) {
    Map<String, Json> members = element.frame.members(element.index());
    return members.isEmpty() ? connection.attributes() : connection.attributes().with(KEY, members);
  }
}
