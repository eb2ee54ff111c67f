package dev.repartee.benchmarks.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The credentials of the load generator. */
public final class Tokens {
  /** A token of 256 bits. */
  public static final String BEARER = "4uXz0Qm2m1dVwQk8f3yT7bJr9cPZl5eHs6oNiAgKxWE";

  /** The issuer of {@link #jwt}. */
  public static final String ISSUER = "https://login.example";

  /** The server of {@link #jwt}. */
  public static final String AUDIENCE = "https://api.example";

  private Tokens() {}

  /** Returns a token that is signed with RS256 and ends in the year 2100. */
  public static String jwt() {
    return text("token.jwt").strip();
  }

  /** Returns the JWK set with the public key of {@link #jwt}; the private key was not kept. */
  public static String keys() {
    return text("jwks.json");
  }

  private static String text(String name) {
    try (InputStream in = Tokens.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
