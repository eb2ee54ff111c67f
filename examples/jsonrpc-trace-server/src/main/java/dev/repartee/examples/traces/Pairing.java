package dev.repartee.examples.traces;

import dev.repartee.json.Json;
import dev.repartee.lsp.types.DiagnosticSeverity;
import dev.repartee.message.Id;
import dev.repartee.trace.Direction;
import dev.repartee.trace.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the messages that belong together, in one pass over the lines.
 *
 * <p>A request is known by its connection, its sender and its id. A file without connections and
 * directions counts as one connection, on which both sides may have sent: a response then belongs
 * to the youngest request with its id that has none.
 */
final class Pairing {
  /**
   * A call. Comparable, because a file may have any number of ids with the same hash code.
   *
   * @param sender null for a token, and if it is not known
   * @param literal the id or the token, as the file has it
   */
  private record Key(long connection, @Nullable Direction sender, String literal)
      implements Comparable<Key> {
    private static final Comparator<Key> ORDER = Comparator.comparing(Key::literal)
        .thenComparingLong(Key::connection)
        .thenComparing(Key::sender, Comparator.nullsFirst(Comparator.naturalOrder()));

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /** The first and the last line of a connection; the last is -1 while it is open. */
  record Connection(long number, int opened, int closed) {}

  private final List<Exchange> exchanges = new ArrayList<>();
  private final Map<TraceMessage, Exchange> exchangeOf = new IdentityHashMap<>();
  private final Map<Integer, List<Finding>> findings = new TreeMap<>();
  private final Map<Long, Connection> connections = new LinkedHashMap<>();

  private final Map<Key, Exchange> inFlight = new HashMap<>();
  private final Map<Key, Exchange> answered = new HashMap<>();
  private final Map<Key, Exchange> byToken = new HashMap<>();

  /** The last line at which a message of a connection, or of any, is not known. */
  private final Map<Long, Integer> gaps = new HashMap<>();

  private int lastGap = -1;

  Pairing(List<TraceLine> lines) {
    for (int i = 0; i < lines.size(); i++) {
      line(i, lines.get(i));
    }
    inFlight.values().forEach(this::unanswered);
    inFlight.clear();
    answered.clear();
    byToken.clear();
  }

  /** Returns all exchanges in the order of their first messages. */
  List<Exchange> exchanges() {
    return exchanges;
  }

  /** Returns the exchange to which a message belongs; null if its request is not in the trace. */
  @Nullable Exchange exchangeOf(TraceMessage message) {
    return exchangeOf.get(message);
  }

  /** Returns the findings by line. */
  Map<Integer, List<Finding>> findings() {
    return findings;
  }

  Collection<Connection> connections() {
    return connections.values();
  }

  private void line(int number, TraceLine line) {
    Stamp stamp = line.stamp();
    long connection = stamp == null ? 0 : stamp.connection();
    if (line.isHidden()) {
      gaps.put(connection, number);
    } else if (line.event() instanceof Entry.Lost) {
      lastGap = number;
    } else if (line.event() instanceof Entry.Opened opened) {
      long opens = opened.connection();
      connections.putIfAbsent(opens, new Connection(opens, number, -1));
    } else if (line.event() instanceof Entry.Closed closed) {
      connections.computeIfPresent(
          closed.connection(), (key, open) -> new Connection(key, open.opened(), number));
    }
    for (TraceMessage message : line.messages()) {
      Exchange.Part part = new Exchange.Part(number, message, stamp);
      Id id = message.id();
      if (message.isResponse() && id != null) {
        response(part, key(connection, opposite(stamp), id));
      } else {
        call(part, connection, id);
      }
    }
  }

  private void call(Exchange.Part part, long connection, @Nullable Id id) {
    TraceMessage message = part.message();
    Reference reference = message.reference();
    Exchange about = reference == null ? null : find(reference, connection, part.stamp());
    if (reference != null && about != null) {
      about.add(part, reference.rule().ends());
      if (id == null) {
        exchangeOf.put(message, about);
        return;
      }
    }
    Exchange older = null;
    if (id != null) {
      older = inFlight.get(key(connection, direction(part.stamp()), id));
      if (older != null && !older.isEnded()) {
        add(
            part,
            DiagnosticSeverity.WARNING,
            "the request in line " + (older.call.line() + 1)
                + " with the same id has no response yet",
            older.call);
      }
    }
    Exchange exchange = new Exchange(part, older);
    exchanges.add(exchange);
    exchangeOf.put(message, exchange);
    if (id != null) {
      inFlight.put(key(connection, direction(part.stamp()), id), exchange);
      for (Json token : message.tokens()) {
        byToken.put(new Key(connection, null, token.toString()), exchange);
      }
    }
  }

  private @Nullable Exchange find(Reference reference, long connection, @Nullable Stamp stamp) {
    Json value = reference.value();
    if (reference.rule().isToken()) {
      return byToken.get(new Key(connection, null, value.toString()));
    }
    Direction sender = reference.rule().byCaller() ? direction(stamp) : opposite(stamp);
    Key key = new Key(connection, sender, value.toString());
    Exchange running = inFlight.get(key);
    return running != null ? running : answered.get(key);
  }

  private void response(Exchange.Part part, Key key) {
    Exchange exchange = inFlight.remove(key);
    if (exchange != null) {
      exchange.answer(part);
      exchangeOf.put(part.message(), exchange);
      answered.put(key, exchange);
      if (exchange.shadowed != null) {
        inFlight.put(key, exchange.shadowed);
      }
      return;
    }
    Exchange earlier = answered.get(key);
    Exchange.Part first = earlier == null ? null : earlier.response();
    if (earlier != null && first != null) {
      earlier.answer(part);
      exchangeOf.put(part.message(), earlier);
      add(
          part,
          DiagnosticSeverity.ERROR,
          "the request in line " + (earlier.call.line() + 1) + " has a response already, in line "
              + (first.line() + 1),
          first);
    } else if (key.literal().equals("null")) {
      if (part.message().error() == null) {
        add(
            part,
            DiagnosticSeverity.ERROR,
            "only the response to an unreadable message, an error," + " has the id null",
            null);
      }
    } else if (gap(key.connection()) < 0) {
      add(
          part,
          key.sender() == null ? DiagnosticSeverity.WARNING : DiagnosticSeverity.ERROR,
          "no request with the id " + shortened(key.literal()) + " came before"
              + (key.sender() == null ? "" : " from the other side of this connection"),
          null);
    }
  }

  private void unanswered(Exchange newest) {
    for (Exchange open = newest; open != null; open = open.shadowed) {
      Exchange.Part call = open.call;
      Stamp stamp = call.stamp();
      long number = stamp == null ? 0 : stamp.connection();
      if (!open.isEnded() && gap(number) < call.line()) {
        Connection connection = connections.get(number);
        add(
            call,
            DiagnosticSeverity.HINT,
            connection != null && connection.closed() >= 0
                ? "no response before the connection closes in line " + (connection.closed() + 1)
                : "no response in this trace",
            null);
      }
    }
  }

  private int gap(long connection) {
    return Math.max(lastGap, gaps.getOrDefault(connection, -1));
  }

  /** Reports a fault at the id of a message. */
  private void add(
      Exchange.Part part,
      DiagnosticSeverity severity,
      String sentence,
      Exchange.@Nullable Part see) {
    TraceMessage message = part.message();
    findings
        .computeIfAbsent(part.line(), line -> new ArrayList<>(1))
        .add(new Finding(message.idFrom(), message.idTo(), severity, sentence, see));
  }

  private static Key key(long connection, @Nullable Direction sender, Id id) {
    return new Key(connection, sender, id.toString());
  }

  private static @Nullable Direction direction(@Nullable Stamp stamp) {
    return stamp == null ? null : stamp.direction();
  }

  private static @Nullable Direction opposite(@Nullable Stamp stamp) {
    return stamp == null ? null : stamp.opposite();
  }

  private static String shortened(String literal) {
    return literal.length() <= 60 ? literal : literal.substring(0, 60) + "...";
  }
}
