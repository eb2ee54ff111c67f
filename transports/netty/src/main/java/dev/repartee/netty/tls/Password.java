package dev.repartee.netty.tls;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.netty.http.HttpAddress;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The password of a PKCS#12 file. The option {@code password} of an endpoint names its place:
 * {@code @FILE}, a file with the password in its first line, or {@code env:NAME}, an environment
 * variable. The password itself is not accepted, because other users can see command lines.
 */
final class Password {
  /** The name of the option. */
  static final String OPTION = "password";

  private static final String VARIABLE = "env:";
  private static final String FORMS = "#password=@FILE or #password=env:NAME";

  private Password() {}

  /** Returns the file that contains the password; null if there is none. */
  static @Nullable Path file(Endpoint endpoint) {
    String place = endpoint.option(OPTION, "");
    return place.startsWith("@") ? PemFile.path(place.substring(1)) : null;
  }

  /**
   * Reads the password.
   *
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if there is no such option or variable
   */
  static char[] of(Endpoint endpoint) throws IOException {
    Path file = file(endpoint);
    if (file != null) {
      String text = new String(PemFile.read(file, OPTION), UTF_8);
      return text.lines().findFirst().orElse("").toCharArray();
    }
    String place = endpoint.option(OPTION, "");
    if (!place.startsWith(VARIABLE)) {
      throw new IllegalArgumentException("'" + HttpAddress.shown(endpoint) + "' has a PKCS#12 file"
          + " as cert; " + FORMS + " names the place of its password, not the password itself");
    }
    String name = place.substring(VARIABLE.length());
    String value = System.getenv(name);
    if (value == null) {
      throw new IllegalArgumentException("'" + HttpAddress.shown(endpoint)
          + "' reads a password from the environment variable " + name + ", which is not set");
    }
    return value.toCharArray();
  }
}
