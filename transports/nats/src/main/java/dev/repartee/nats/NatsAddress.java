package dev.repartee.nats;

import dev.repartee.broker.BrokerUri;
import dev.repartee.transport.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a {@code nats:} endpoint.
 *
 * @param servers the servers of the cluster, {@code HOST:PORT} each; at least one
 * @param user the user name, or the token if there is no password; null without credentials
 * @param password the password; null without one
 * @param subject the subject of the requests
 * @param isSecure whether the server requires TLS
 */
record NatsAddress(
    List<String> servers,
    @Nullable String user,
    @Nullable String password,
    String subject,
    boolean isSecure) {
  /** The scheme under TLS. */
  static final String SECURE = "nats+tls";

  private static final int DEFAULT_PORT = 4222;

  /**
   * The maximum length of a subject in characters; all subjects derived from it then fit into a
   * control line.
   */
  private static final int LONGEST = 200;

  private static final Pattern FORM =
      Pattern.compile("//(?:([^:/@\\s]+)(?::([^/@\\s]*))?@)?([^/@?#\\s]*)/([^/?#\\s]+)");
  private static final Pattern SERVER =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]*)(?::([0-9]{1,5}))?");

  /** Tokens between single dots; {@code *} and {@code >} are wildcards. */
  private static final Pattern SUBJECT =
      Pattern.compile("[^.*>\\s\\p{Cntrl}]+(\\.[^.*>\\s\\p{Cntrl}]+)*");

  /**
   * Parses the address of an endpoint.
   *
   * @throws IllegalArgumentException if it has another form; the message shows the right one
   */
  static NatsAddress of(Endpoint endpoint) {
    Matcher parts = FORM.matcher(endpoint.address());
    if (!parts.matches()) {
      throw malformed(endpoint, "is not of the form");
    }
    List<String> servers = new ArrayList<>();
    for (String each : parts.group(3).split(",", -1)) {
      servers.add(server(endpoint, each));
    }
    String subject = BrokerUri.decoded(endpoint, parts.group(4));
    if (subject.length() > LONGEST || !SUBJECT.matcher(subject).matches()) {
      throw new IllegalArgumentException("'" + endpoint.shown() + "' names no subject of a service;"
          + " a subject has at most " + LONGEST + " characters: words without '*' and '>', with"
          + " single dots between them");
    }
    return new NatsAddress(
        List.copyOf(servers),
        parts.group(1) == null ? null : BrokerUri.decoded(endpoint, parts.group(1)),
        parts.group(2) == null ? null : BrokerUri.decoded(endpoint, parts.group(2)),
        subject,
        endpoint.scheme().equals(SECURE));
  }

  private static String server(Endpoint endpoint, String text) {
    Matcher parts = SERVER.matcher(text);
    if (!parts.matches()) {
      throw malformed(
          endpoint, "has the server '" + text + "', which is not HOST:PORT; the form is");
    }
    int port = parts.group(2) == null ? DEFAULT_PORT : Integer.parseInt(parts.group(2));
    if (port == 0 || port > 0xFFFF) {
      throw malformed(endpoint, "has no port between 1 and 65535; the form is");
    }
    return (parts.group(1).isEmpty() ? "127.0.0.1" : parts.group(1)) + ":" + port;
  }

  private static IllegalArgumentException malformed(Endpoint endpoint, String what) {
    return new IllegalArgumentException("'" + endpoint.shown() + "' " + what + " "
        + endpoint.scheme() + "://USER:PASSWORD@HOST:PORT/SUBJECT, such as " + endpoint.scheme()
        + "://127.0.0.1/math");
  }

  /** Returns the servers for messages. */
  String broker() {
    return String.join(",", servers);
  }

  /** Returns the servers and the subject for messages, without credentials. */
  String name() {
    return broker() + "/" + subject;
  }
}
