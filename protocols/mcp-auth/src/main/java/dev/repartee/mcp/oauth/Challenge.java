package dev.repartee.mcp.oauth;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A challenge of the header {@code WWW-Authenticate} (RFC 9110 section 11.6.1).
 *
 * @param scheme the scheme in lower case
 * @param parameters the parameters, with names in lower case
 */
record Challenge(String scheme, Map<String, String> parameters) {
  /** The value for a refusal without a challenge. */
  static final Challenge NONE = new Challenge("", Map.of());

  private static final String DELIMITERS = " \t,=\"";

  /**
   * Returns the challenge that an OAuth client answers: the challenge for DPoP, otherwise the
   * challenge for bearer tokens.
   */
  static Challenge of(List<String> headers) {
    List<Challenge> all = new ArrayList<>();
    headers.forEach(header -> parse(header, all));
    Challenge bearer = NONE;
    for (Challenge challenge : all) {
      if (challenge.isDpop()) {
        return challenge;
      }
      if (challenge.scheme.equals("bearer") && bearer == NONE) {
        bearer = challenge;
      }
    }
    return bearer;
  }

  boolean isDpop() {
    return scheme.equals("dpop");
  }

  @Nullable String error() {
    return parameters.get("error");
  }

  /** Returns the address of the protected resource metadata (RFC 9728 section 5.1). */
  @Nullable String metadata() {
    return parameters.get("resource_metadata");
  }

  /** Returns the scopes, which may be empty. */
  Set<String> scopes() {
    return scopes(parameters.getOrDefault("scope", ""));
  }

  /** Returns the scopes in a list that spaces separate. */
  static Set<String> scopes(String list) {
    Set<String> scopes = new LinkedHashSet<>(List.of(list.strip().split("\\s+")));
    scopes.remove("");
    return scopes;
  }

  /** Returns the reason from the server, for a message, after a colon; empty without a reason. */
  String reason() {
    String text =
        parameters.getOrDefault("error_description", parameters.getOrDefault("error", ""));
    return text.isEmpty() ? "" : ": " + AuthorizationException.told(text);
  }

  /** Parses all challenges of one header. Reads as much as it can, since servers differ. */
  private static void parse(String text, List<Challenge> into) {
    String scheme = "";
    Map<String, String> parameters = new LinkedHashMap<>();
    int at = 0;
    while (at < text.length()) {
      if (DELIMITERS.indexOf(text.charAt(at)) >= 0) {
        at++;
        continue;
      }
      int end = end(text, at);
      String word = text.substring(at, end).toLowerCase(Locale.ROOT);
      int next = skipSpace(text, end);
      if (next >= text.length() || text.charAt(next) != '=') { // the next scheme
        add(scheme, parameters, into);
        scheme = word;
        parameters = new LinkedHashMap<>();
        at = end;
        continue;
      }
      at = skipSpace(text, next + 1);
      StringBuilder value = new StringBuilder();
      at = value(text, at, value);
      parameters.putIfAbsent(word, value.toString());
    }
    add(scheme, parameters, into);
  }

  private static void add(String scheme, Map<String, String> parameters, List<Challenge> into) {
    if (!scheme.isEmpty()) {
      into.add(new Challenge(scheme, Map.copyOf(parameters)));
    }
  }

  private static int end(String text, int from) {
    int at = from;
    while (at < text.length() && DELIMITERS.indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return at;
  }

  private static int skipSpace(String text, int from) {
    int at = from;
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
    return at;
  }

  private static int value(String text, int from, StringBuilder into) {
    if (from >= text.length() || text.charAt(from) != '"') {
      int end = end(text, from);
      into.append(text, from, end);
      return end;
    }
    int at = from + 1;
    while (at < text.length() && text.charAt(at) != '"') {
      if (text.charAt(at) == '\\' && at + 1 < text.length()) {
        at++;
      }
      into.append(text.charAt(at++));
    }
    return at + 1;
  }
}
