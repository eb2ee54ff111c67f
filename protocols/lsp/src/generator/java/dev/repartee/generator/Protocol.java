package dev.repartee.generator;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The facts about a protocol that its model does not state.
 *
 * @param base the package of the module, above {@link #TYPES} and {@link #HANDLERS}
 * @param server the interface with all messages to the server
 * @param client the interface with all messages to the client
 * @param serverNoun such as {@code language server}
 * @param clientNoun such as {@code language client}
 * @param notification the word for a notification, with its article
 * @param cancel the message that cancels a call, which the engine handles
 * @param ordered the requests that all later messages must wait for
 * @param unionNames the names of unions that several members share, or that have a better name than
 *     most, by the shapes of their variants
 * @param methods the source of methods of records and unions, by their names
 * @param own the types that are not generated
 * @param dispensable tells by its name whether a required member of a result or a notification, or
 *     a whole result, may be missing when it is read; neutral values stand for it then: zero, false
 *     or empty ones
 * @param protobuf whether the types follow the rules of Protocol Buffers: lists, maps, flags and
 *     messages that are absent are empty or false, and the records copy lists and maps. Such types
 *     do not read and write themselves
 */
record Protocol(
    String base,
    String server,
    String client,
    String serverNoun,
    String clientNoun,
    String notification,
    String cancel,
    Set<String> ordered,
    Map<String, String> unionNames,
    Map<String, String> methods,
    Set<String> own,
    Predicate<String> dispensable,
    boolean protobuf) {
  static final String TYPES = "types";
  static final String HANDLERS = "handlers";

  private static final List<String> IMPORTS = List.of(
      "dev.repartee.Lane",
      "dev.repartee.Rpc",
      "dev.repartee.json.Json",
      "dev.repartee.json.JsonException",
      "dev.repartee.json.JsonObjectBuilder",
      "dev.repartee.json.JsonReader",
      "dev.repartee.json.JsonWriter",
      "dev.repartee.json.MemberNames",
      "dev.repartee.json.UnknownMembers",
      "java.time.Instant",
      "java.util.ArrayList",
      "java.util.Collections",
      "java.util.LinkedHashMap",
      "java.util.List",
      "java.util.Map",
      "java.util.Objects",
      "java.util.Optional",
      "java.util.concurrent.CompletableFuture",
      "java.util.function.Function",
      "org.jspecify.annotations.Nullable");

  /** Creates a protocol with the rules of Protocol Buffers, of which only types are generated. */
  Protocol(String base, Map<String, String> methods, Set<String> own) {
    this(base, "", "", "", "", "", "", Set.of(), Map.of(), methods, own, member -> false, true);
  }

  /** Returns a source file with the imports that the body needs. */
  String file(String inside, String body) {
    StringBuilder out = new StringBuilder();
    out.append("package ").append(base).append('.').append(inside).append(";\n\n");
    String code = body.replaceAll("(?m)^ *(/\\*\\*| \\*).*$", "");
    for (String each : IMPORTS) {
      String simple = each.substring(each.lastIndexOf('.') + 1);
      if (Pattern.compile("\\b" + simple + "\\b").matcher(code).find()) {
        out.append("import ").append(each).append(";\n");
      }
    }
    if (!inside.equals(TYPES)) {
      out.append("import ").append(base).append('.').append(TYPES).append(".*;\n");
    }
    return out.append('\n').append(body).toString();
  }
}
