package dev.repartee.transport;

import static java.util.Map.entry;

import dev.repartee.internal.Providers;
import dev.repartee.internal.Spelling;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The known transports: the built-in ones, and after them the installed ones. */
final class Transports {
  private static final List<Transport> BUILT_IN = List.of(
      new TcpTransport(),
      new UnixTransport(),
      new StdioTransport(),
      new PipeTransport(),
      new ExecTransport(),
      new MemoryTransport());

  /** The installed transports, loaded when an endpoint has a scheme that is not built in. */
  private static final class Installed {
    static final List<Transport> ALL = Providers.of(Transport.class);
  }

  /** The modules of this library with transports that are not built in, by their schemes. */
  private static final Map<String, String> MODULES = Map.ofEntries(
      entry("http", "netty"),
      entry("https", "netty"),
      entry("ws", "netty"),
      entry("wss", "netty"),
      entry("amqp", "amqp"),
      entry("amqps", "amqp"),
      entry("nats", "nats"),
      entry("nats+tls", "nats"),
      entry("ssh", "ssh"),
      entry("tls", "netty"),
      entry("xmpp", "xmpp"),
      entry("zmq+tcp", "zeromq"));

  private Transports() {}

  /**
   * Returns the transport of an endpoint.
   *
   * @throws IllegalArgumentException if there is none; the message lists the known schemes
   */
  static Transport of(Endpoint endpoint) {
    Transport found = find(endpoint.scheme());
    String module = MODULES.get(endpoint.scheme());
    if (found == null && module != null) {
      throw new IllegalArgumentException("the scheme '" + endpoint.scheme() + "' of '"
          + Endpoint.shown(endpoint.toString())
          + "' needs another module; put dev.repartee:repartee-"
          + module + " on the class path");
    }
    if (found == null) {
      throw new IllegalArgumentException("'" + Endpoint.shown(endpoint.toString())
          + "' has the unknown scheme '" + endpoint.scheme() + "'" + hint(endpoint));
    }
    return found;
  }

  static boolean isKnown(String scheme) {
    return find(scheme.toLowerCase(Locale.ROOT)) != null;
  }

  private static @Nullable Transport find(String scheme) {
    Transport builtIn = find(BUILT_IN, scheme);
    return builtIn == null ? find(Installed.ALL, scheme) : builtIn;
  }

  private static @Nullable Transport find(Iterable<Transport> transports, String scheme) {
    for (Transport transport : transports) {
      if (transport.schemes().contains(scheme)) {
        return transport;
      }
    }
    return null;
  }

  private static String hint(Endpoint endpoint) {
    if (endpoint.address().matches("[0-9]{1,5}")) {
      return "; did you mean tcp://" + endpoint + "?";
    }
    Set<String> known = new TreeSet<>();
    BUILT_IN.forEach(transport -> known.addAll(transport.schemes()));
    Installed.ALL.forEach(transport -> known.addAll(transport.schemes()));
    Set<String> meant = new TreeSet<>(known);
    meant.addAll(MODULES.keySet());
    String nearest = Spelling.nearest(endpoint.scheme(), meant);
    return (nearest == null ? ";" : "; did you mean " + nearest + ":?") + " known are "
        + String.join(", ", known);
  }

  /**
   * Returns the option keys of a scheme: the keys of its transport and the common keys, sorted;
   * null if no transport serves the scheme.
   */
  static @Nullable Set<String> options(String scheme) {
    Transport transport = find(scheme);
    if (transport == null) {
      return null;
    }
    Set<String> known = new TreeSet<>(Endpoint.COMMON_OPTIONS);
    known.addAll(transport.options());
    return known;
  }

  /**
   * Returns the exception for a thread that was interrupted while it connected. The interrupt flag
   * of the thread stays set.
   */
  static IOException interrupted(Endpoint endpoint, ClosedByInterruptException cause) {
    return new IOException(
        "cannot connect to " + endpoint.bare() + ": the waiting thread was interrupted", cause);
  }
}
