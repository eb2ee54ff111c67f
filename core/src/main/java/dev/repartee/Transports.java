package dev.repartee;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The transports there are: those built in, and behind them what is installed. */
final class Transports {
  private static final List<Transport> BUILT_IN = List.of(
      new TcpTransport(),
      new UnixTransport(),
      new StdioTransport(),
      new PipeTransport(),
      new ExecTransport(),
      new MemoryTransport());

  /** Loaded once, when the first endpoint needs more than what is built in. */
  private static final class Installed {
    static final List<Transport> ALL = Providers.of(Transport.class);
  }

  private Transports() {}

  /**
   * The transport of that endpoint.
   *
   * @throws IllegalArgumentException if there is none; the message lists the known schemes
   */
  static Transport of(Endpoint endpoint) {
    Transport found = find(BUILT_IN, endpoint.scheme());
    if (found == null) {
      found = find(Installed.ALL, endpoint.scheme());
    }
    if (found == null) {
      throw new IllegalArgumentException(
          "'" + endpoint + "' has the unknown scheme '" + endpoint.scheme() + "'" + hint(endpoint));
    }
    return found;
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
    return "; known are " + String.join(", ", known);
  }

  /** The option keys of all transports, and those that all share. */
  static Set<String> options() {
    Set<String> known = new TreeSet<>(Endpoint.COMMON_OPTIONS);
    BUILT_IN.forEach(transport -> known.addAll(transport.options()));
    Installed.ALL.forEach(transport -> known.addAll(transport.options()));
    return known;
  }

  /** The framing that the endpoint asks for, or that one. */
  static Framing framing(Endpoint endpoint, Framing otherwise) {
    return Framing.named(endpoint.option("framing", otherwise.label()));
  }

  /** Returns the exception for a connect whose thread was interrupted; the thread stays interrupted. */
  static IOException interrupted(Endpoint endpoint, ClosedByInterruptException cause) {
    return new IOException(
        "cannot connect to " + endpoint.bare() + ": the waiting thread was interrupted", cause);
  }
}
