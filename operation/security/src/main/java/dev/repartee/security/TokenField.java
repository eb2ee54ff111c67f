package dev.repartee.security;

import dev.repartee.access.Credentials;
import dev.repartee.transport.Headers;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A header field with a token.
 *
 * @param place the place of the credentials; see {@link FieldAuthenticator#field}
 * @param token returns the token of a caller; null if there is none
 */
record TokenField(String place, Function<Credentials, @Nullable String> token, String challenge) {
  /**
   * Returns the field {@code Authorization: Bearer TOKEN} (RFC 6750 section 2.1).
   *
   * @param metadata the address of the metadata of this server (RFC 9728) for the challenge
   */
  static TokenField bearer(@Nullable String metadata) {
    return new TokenField(
        "Authorization: Bearer",
        credentials -> credentials(credentials, "Bearer "),
        "Bearer realm=\"repartee\""
            + (metadata == null ? "" : ", resource_metadata=\"" + metadata + "\""));
  }

  /**
   * Returns a field for keys only. No scheme is registered for such keys, but a response with the
   * status 401 needs one in its challenge (RFC 9110 section 15.5.2).
   *
   * @throws IllegalArgumentException if the name is not a token of HTTP
   */
  static TokenField key(String header) {
    Headers.NONE.with(header, ""); // checks the name
    return new TokenField(
        header.toLowerCase(Locale.ROOT),
        credentials -> credentials.header(header),
        "ApiKey realm=\"repartee\", header=\"" + header + "\"");
  }

  /** Returns the credentials of a scheme, such as {@code "Basic "}; null if there are none. */
  static @Nullable String credentials(Credentials credentials, String scheme) {
    String field = credentials.header("Authorization");
    return field != null && field.regionMatches(true, 0, scheme, 0, scheme.length())
        ? field.substring(scheme.length()).strip()
        : null;
  }
}
