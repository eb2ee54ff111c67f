package dev.repartee.nats;

import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of an endpoint, from its address or from the files in its options.
 *
 * @param user the user name, or the token if there is no password
 * @param key the key that signs the challenge of the server
 */
record Credentials(
    @Nullable String user,
    @Nullable String password,
    @Nullable NatsKey key) {
  static final String PASSWORD = "password-file";
  static final String TOKEN = "token-file";
  static final String CREDS = "creds";
  static final String NKEY = "nkey";

  /**
   * Returns the credentials of an endpoint.
   *
   * @throws IllegalArgumentException if it has several of them
   * @throws IOException if a file cannot be used; the message contains it
   */
  static Credentials of(Endpoint endpoint, NatsAddress address) throws IOException {
    String user = address.user();
    String password = address.password();
    long ways =
        Stream.of(TOKEN, CREDS, NKEY).filter(endpoint.options()::containsKey).count()
            + (user == null ? 0 : 1);
    boolean hasFile = endpoint.options().containsKey(PASSWORD);
    if (ways > 1 || hasFile && (user == null || password != null)) {
      throw new IllegalArgumentException("'" + endpoint.shown()
          + "' has credentials that do not fit together; give USER:PASSWORD@, TOKEN@, USER@ with"
          + " the option password-file, or one of the options token-file, creds and nkey");
    }
    if (hasFile) {
      return new Credentials(user, text(endpoint, PASSWORD), null);
    }
    if (endpoint.options().containsKey(TOKEN)) {
      return new Credentials(text(endpoint, TOKEN), null, null);
    }
    for (String option : new String[] {CREDS, NKEY}) {
      if (endpoint.options().containsKey(option)) {
        return new Credentials(null, null, key(endpoint, option));
      }
    }
    return new Credentials(user, password, null);
  }

  private static NatsKey key(Endpoint endpoint, String option) throws IOException {
    try {
      return NatsKey.of(text(endpoint, option), option.equals(CREDS));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "the file '" + endpoint.option(option, "") + "' of the option " + option
              + " cannot be used: " + e.getMessage(),
          e);
    }
  }

  private static String text(Endpoint endpoint, String option) throws IOException {
    String file = endpoint.option(option, "");
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException | InvalidPathException e) {
      throw new IOException(
          "cannot read the file '" + file + "' of the option " + option + ": " + e, e);
    }
  }
}
