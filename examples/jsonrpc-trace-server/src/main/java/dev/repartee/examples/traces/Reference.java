package dev.repartee.examples.traces;

import dev.repartee.json.Json;
import dev.repartee.json.JsonReader;
import dev.repartee.json.MemberNames;
import dev.repartee.json.UnknownMembers;
import dev.repartee.json.UnsafeJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The request to which a message about another call refers.
 *
 * @param rule the meaning of the value
 * @param value the id or the token of the request
 */
record Reference(Rule rule, Json value) {
  /** The longest token that is looked at, in bytes; tokens are kept in memory. */
  private static final int LONGEST = 1_000;

  /**
   * The member of the params that names the request.
   *
   * @param isToken whether it holds a token of the request; otherwise its id
   * @param byCaller whether the side that sent the request sends the message too
   * @param ends whether the request need not be answered any more
   */
  record Rule(String member, boolean isToken, boolean byCaller, boolean ends) {}

  /** The methods of LSP, MCP and Repartee that refer to a call. */
  private static final Map<String, Rule> RULES = Map.of(
      "$/cancelRequest", new Rule("id", false, true, false),
      "$/progress", new Rule("token", true, false, false),
      "window/workDoneProgress/cancel", new Rule("token", true, false, false),
      "notifications/cancelled", new Rule("requestId", false, true, true),
      "notifications/progress", new Rule("progressToken", true, false, false),
      "rpc.cancel", new Rule("id", false, true, false),
      "rpc.credit", new Rule("id", false, true, false),
      "rpc.progress", new Rule("id", false, false, false));

  private static final MemberNames MEMBERS =
      MemberNames.of(UnknownMembers.IGNORE, "id", "token", "requestId", "progressToken");
  private static final List<String> NAMES = List.of("id", "token", "requestId", "progressToken");

  private static final int META = 2;
  private static final MemberNames TOKENS = MemberNames.of(
      UnknownMembers.IGNORE, "workDoneToken", "partialResultToken", "_meta", "token");
  private static final int TOKEN = 3;
  private static final MemberNames IN_META = MemberNames.of(UnknownMembers.IGNORE, "progressToken");

  /** Returns the reference in the params at {@code b[from, to)}; null if there is none. */
  static @Nullable Reference in(String method, byte[] b, int from, int to) {
    Rule rule = RULES.get(method);
    if (rule == null || from == to || b[from] != '{') {
      return null;
    }
    Reference found = null;
    JsonReader in = new JsonReader(b, from, to);
    for (int i = MEMBERS.first(in); i >= 0; i = MEMBERS.next(in, i)) {
      int value = in.position();
      Json named = scalar(b, value, in.skip());
      if (named != null && NAMES.get(i).equals(rule.member)) {
        found = new Reference(rule, named);
      }
    }
    return found;
  }

  /** Returns the tokens for progress in the params of a request. */
  static List<Json> tokens(String method, byte[] b, int from, int to) {
    if (from == to || b[from] != '{') {
      return List.of();
    }
    List<Json> tokens = List.of();
    JsonReader in = new JsonReader(b, from, to);
    for (int i = TOKENS.first(in); i >= 0; i = TOKENS.next(in, i)) {
      int value = in.position();
      int end = in.skip();
      if (i == META) {
        tokens = inMeta(b, value, end, tokens);
      } else if (i < META || i == TOKEN && method.equals("window/workDoneProgress/create")) {
        tokens = with(scalar(b, value, end), tokens);
      }
    }
    return tokens;
  }

  private static List<Json> inMeta(byte[] b, int from, int to, List<Json> tokens) {
    List<Json> all = tokens;
    if (b[from] == '{') {
      JsonReader in = new JsonReader(b, from, to);
      for (int i = IN_META.first(in); i >= 0; i = IN_META.next(in, i)) {
        int value = in.position();
        all = with(scalar(b, value, in.skip()), all);
      }
    }
    return all;
  }

  private static List<Json> with(@Nullable Json token, List<Json> tokens) {
    if (token == null || tokens.size() == 3) {
      return tokens;
    }
    List<Json> all = new ArrayList<>(tokens);
    all.add(token);
    return List.copyOf(all);
  }

  private static @Nullable Json scalar(byte[] b, int from, int to) {
    Json.Kind kind = Json.Kind.of(b[from]);
    boolean fits = kind == Json.Kind.STRING || kind == Json.Kind.NUMBER;
    return fits && to - from <= LONGEST ? UnsafeJson.copy(b, from, to) : null;
  }
}
