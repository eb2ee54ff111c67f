package dev.repartee.mcp.oauth;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The identity of this client at one authorization server.
 *
 * @param registration the id with its secret or key
 * @param method the method of authentication at the token endpoint
 * @param redirect the redirect URI of a dynamic registration; null for any other
 * @param expires the time at which the secret expires, in seconds since 1970; 0 for never
 */
record Client(
    Registration registration, String method, @Nullable String redirect, long expires) {
  /**
   * Returns whether this program has registered the client, and can therefore register it again.
   */
  boolean isDynamic() {
    return redirect != null;
  }

  boolean isExpired() {
    return expires > 0 && expires <= System.currentTimeMillis() / 1000;
  }

  /** Returns the members to store, without the secrets that the application sets at each start. */
  Json json() {
    return new JsonObjectBuilder()
        .put("client_id", registration.id())
        .put("client_secret", isDynamic() ? registration.secret() : null)
        .put("token_endpoint_auth_method", method)
        .put("redirect_uri", redirect == null ? "" : redirect)
        .put("client_secret_expires_at", expires)
        .build();
  }

  static Client read(String text) {
    return read(new Document("the stored client", text.getBytes(StandardCharsets.UTF_8)));
  }

  static Client read(Document stored) {
    String id = stored.string("client_id");
    String secret = stored.optionalString("client_secret");
    return new Client(
        secret == null ? Registration.of(id) : Registration.withSecret(id, secret),
        stored.string("token_endpoint_auth_method"),
        stored.optionalString("redirect_uri"),
        stored.number("client_secret_expires_at"));
  }
}
