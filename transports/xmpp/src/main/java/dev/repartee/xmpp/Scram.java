package dev.repartee.xmpp;

import java.io.IOException;
import org.jivesoftware.smack.util.stringencoder.Base64;

/** Protects the login (RFC 5802): the library hashes the password as often as a server demands. */
final class Scram {
  /** The maximum number of iterations, about a second of work. Servers demand 4,096 to 600,000. */
  private static final int MOST = 1_000_000;

  private Scram() {}

  /**
   * Refuses a challenge that would make the library hash for hours, even after the connection has
   * ended.
   *
   * @param challenge the element of the server
   */
  static void requireCheap(Element challenge) throws IOException {
    for (String part : Base64.decodeToString(challenge.text()).split(",", -1)) {
      boolean isNumber = part.length() > 2 && part.charAt(0) == 'i'; // as the library reads it
      if (isNumber && iterations(part.substring(2)) > MOST) {
        throw new IOException("the server demands to hash the password " + part.substring(2)
            + " times; " + MOST + " are allowed");
      }
    }
  }

  private static int iterations(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return 0; // the library refuses it, too
    }
  }
}
