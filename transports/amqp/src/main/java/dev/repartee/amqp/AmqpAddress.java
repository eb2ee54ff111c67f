package dev.repartee.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.broker.BrokerUri;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of an {@code amqp:} endpoint.
 *
 * @param host a name or an address; IPv6 without brackets
 * @param port the port
 * @param user the user name
 * @param password the password
 * @param vhost the virtual host
 * @param queue the request queue
 * @param isSecure whether the broker requires TLS
 */
record AmqpAddress(
    String host,
    int port,
    String user,
    String password,
    String vhost,
    String queue,
    boolean isSecure) {
  /** The default user of RabbitMQ, and its password. */
  private static final String GUEST = "guest";

  /**
   * The maximum length of the name of a queue in bytes; all names derived from it then have less
   * than 256.
   */
  private static final int LONGEST = 200;

  private static final Pattern FORM = Pattern.compile(
      "//(?:([^:/@\\s]*)(?::([^/@\\s]*))?@)?(\\[[0-9A-Fa-f:.]+\\]|[^\\[\\]:/?#@\\s]*)"
          + "(?::([0-9]{1,5}))?/([^/?#\\s]+)");

  /**
   * Parses the address of an endpoint.
   *
   * @throws IllegalArgumentException if it has another form; the message shows the right one
   * @throws IOException if the file of the password cannot be read
   */
  static AmqpAddress of(Endpoint endpoint) throws IOException {
    Matcher parts = FORM.matcher(endpoint.address());
    if (!parts.matches()) {
      throw malformed(endpoint, "is not of the form");
    }
    boolean secure = endpoint.scheme().equals("amqps");
    int port = parts.group(4) == null ? secure ? 5671 : 5672 : Integer.parseInt(parts.group(4));
    if (port == 0 || port > 0xFFFF) {
      throw malformed(endpoint, "has no port between 1 and 65535; the form is");
    }
    String host = parts.group(3);
    if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
    }
    String user = parts.group(1) == null ? GUEST : BrokerUri.decoded(endpoint, parts.group(1));
    String queue = BrokerUri.decoded(endpoint, parts.group(5));
    if (queue.getBytes(UTF_8).length > LONGEST || queue.startsWith("amq.")) {
      throw new IllegalArgumentException("'" + endpoint.shown() + "' names no queue of a service;"
          + " a name has at most " + LONGEST + " bytes and does not start with 'amq.'");
    }
    return new AmqpAddress(
        host.isEmpty() ? "127.0.0.1" : host,
        port,
        user,
        password(endpoint, user, parts.group(2)),
        BrokerUri.decoded(endpoint, endpoint.option("vhost", "/")),
        queue,
        secure);
  }

  private static String password(Endpoint endpoint, String user, @Nullable String given)
      throws IOException {
    String file = endpoint.options().get("password-file");
    if (given != null && file == null) {
      return BrokerUri.decoded(endpoint, given);
    }
    if (given != null) {
      throw new IllegalArgumentException(
          "'" + endpoint.shown() + "' has a password and the option password-file; leave one out");
    }
    if (file != null) {
      try {
        return Files.readString(Path.of(file)).strip();
      } catch (IOException | InvalidPathException e) {
        throw new IOException("cannot read the password file '" + file + "': " + e, e);
      }
    }
    if (user.equals(GUEST)) {
      return GUEST;
    }
    throw new IllegalArgumentException("'" + endpoint.shown() + "' has a user, but no password;"
        + " write USER:PASSWORD@, or name a file with #password-file=PATH");
  }

  private static IllegalArgumentException malformed(Endpoint endpoint, String what) {
    return new IllegalArgumentException("'" + endpoint.shown() + "' " + what + " "
        + endpoint.scheme() + "://USER:PASSWORD@HOST:PORT/QUEUE, such as " + endpoint.scheme()
        + "://guest@127.0.0.1/math; the virtual host is the option vhost");
  }

  /** Returns the name of the broker and the queue for messages, without credentials. */
  String name() {
    return broker() + "/" + queue;
  }

  /** Returns host, port and virtual host for messages. */
  String broker() {
    String at = (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    return vhost.equals("/") ? at : at + " (vhost " + vhost + ")";
  }
}
