package dev.repartee.mcp.oauth;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.jwk.ECKey;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tokens for one MCP server from one authorization server.
 *
 * @param resource the identifier of the MCP server that they were issued for
 * @param client the client that they were issued to
 * @param refresh the refresh token, or null
 * @param key the key that the tokens are bound to (DPoP, RFC 9449); null for bearer tokens
 * @param expires the time at which the access token expires, in milliseconds since 1970; 0 if
 *     unknown
 * @param life the life time of the access token in milliseconds
 * @param requested all scopes that were requested
 * @param source how this process got them
 */
record Tokens(
    String issuer,
    String resource,
    Client client,
    String access,
    @Nullable String refresh,
    @Nullable ECKey key,
    long expires,
    long life,
    Set<String> requested,
    Source source) {
  /** The maximum time before the expiry when an access token is refreshed. */
  private static final long MARGIN = 30_000;

  /** The maximum number of characters of a token. Tokens with many claims have more than 8 KiB. */
  static final int LONGEST = 65_536;

  enum Source {
    STORED,
    REFRESHED,
    ISSUED
  }

  /** Returns whether the access token has expired or will soon. */
  boolean isExpiring() {
    return expires > 0 && System.currentTimeMillis() >= expires - Math.min(MARGIN, life / 10);
  }

  /**
   * Returns whether a header can hold an access token: up to {@link #LONGEST} visible ASCII
   * characters. RFC 6750 section 2.1 allows fewer, but servers issue others that work.
   */
  static boolean isSendable(String access) {
    return access.length() <= LONGEST && access.matches("[\\x21-\\x7E]+");
  }

  /** Returns the value of the header {@code Authorization}. */
  String header() {
    return (key == null ? "Bearer " : "DPoP ") + access;
  }

  /** Returns the members to store. */
  Json json() {
    return new JsonObjectBuilder()
        .put("issuer", issuer)
        .put("resource", resource)
        .put("client", client.json().toString())
        .put("access_token", access)
        .put("refresh_token", refresh)
        .put("key", key == null ? null : key.toJSONString())
        .put("expires", expires)
        .put("life", life)
        .put("requested", List.copyOf(requested))
        .build();
  }

  static Tokens read(String text) {
    Document stored = new Document("the stored token", text.getBytes(UTF_8));
    List<String> requested = stored.texts("requested");
    String key = stored.optionalString("key");
    try {
      return new Tokens(
          stored.string("issuer"),
          stored.string("resource"),
          Client.read(stored.string("client")),
          stored.string("access_token"),
          stored.optionalString("refresh_token"),
          key == null ? null : ECKey.parse(key),
          stored.number("expires"),
          stored.number("life"),
          requested == null ? Set.of() : new LinkedHashSet<>(requested),
          Source.STORED);
    } catch (java.text.ParseException e) {
      throw new AuthorizationException("the key of the stored token is invalid");
    }
  }

  /** Hides the tokens. */
  @Override
  public String toString() {
    return "tokens of " + issuer + " for " + resource;
  }
}
