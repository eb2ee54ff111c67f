package dev.repartee.testkit.attack;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An attack on a server that costs the attacker little, for use against a {@link TargetServer}.
 * Tests and benchmarks start it with {@link #on}.
 */
public enum Attack {
  /** Headers sent slowly, one byte at a time. */
  SLOW_HEADERS(200, "slow headers") {
    @Override
    void run(AttackClient client) throws IOException {
      client
          .send(client.protocol == AttackProtocol.TCP ? "Content-Length: 9\r\nX-Slow: " : SLOW)
          .trickle("x");
    }
  },

  /** Messages sent in one piece except for their end, which is sent slowly, one byte at a time. */
  SLOW_BODIES(200, "slow bodies") {
    @Override
    void run(AttackClient client) throws IOException {
      client
          .send(client.protocol.partial(ECHO + "[\"", 1 << 20))
          .send("x".repeat(100 << 10))
          .trickle("x");
    }
  },

  /** Messages of 15 MiB sent in one piece, but without their end. */
  LARGE_MESSAGES_IN_PART(24, "messages of 15 MiB without an end", AttackRun.NO_ROOM) {
    @Override
    void run(AttackClient client) throws IOException {
      client.send(client.protocol.partial(ECHO + "[\"", 16_000_000)).pour(SPACES, 15);
      client.trickle(" ");
    }
  },

  /** More connections than the server accepts. */
  CONNECTIONS(8, "connections past the limit", AttackRun.ANSWERED, AttackRun.CUT_OFF) {
    @Override
    void run(AttackClient client) throws IOException {
      byte[] ping = client.framed(call("rpc.ping", "[]", 1));
      client.ask(ping);
      while (client.isRunning()) {
        client.openAnother().ask(ping);
      }
    }
  },

  /** Calls with responses of about the same size, which the attacker does not read. */
  UNREAD_ECHOES(16, "echoes of 60 kB, never read") {
    @Override
    void run(AttackClient client) throws IOException {
      client.pour(
          client.framed(call("echo", "[\"" + "x".repeat(60_000) + "\"]", 1)), Integer.MAX_VALUE);
    }
  },

  /** Small calls with large responses, which the attacker does not read. */
  UNREAD_ANSWERS(8, "answers of 100 kB, never read") {
    @Override
    void run(AttackClient client) throws IOException {
      client
          .pour(client.framed(call("text", "[100000]", 1)), 600)
          .trickle(client.protocol.filler());
    }
  },

  /** Large responses that must wait for a slow one, in a batch or because of the order of HTTP. */
  ANSWERS_BEHIND_A_SLOW_ONE(16, "answers of 100 kB behind a slow one") {
    @Override
    void run(AttackClient client) throws IOException {
      String slow = call("sleep", "[60000]", 1);
      String large = call("text", "[100000]", 2);
      if (client.protocol == AttackProtocol.HTTP) {
        client.send(client.framed(slow)).pour(client.framed(large), 63);
      } else {
        client.send(client.framed("[" + slow + ("," + large).repeat(120) + "]"));
      }
      client.trickle(client.protocol.filler());
    }
  },

  /** Batches with the greatest allowed number of calls. */
  BATCHES(4, "batches of 1,000 calls", AttackRun.ANSWERED) {
    @Override
    void run(AttackClient client) throws IOException {
      client.askRepeatedly(batch(1_000, i -> call("subtract", "[42,23]", i)));
    }
  },

  /** Batches of calls that run on workers, all with the same id. */
  BATCHES_OF_ONE_ID(4, "batches of 1,000 calls of one id", AttackRun.ANSWERED) {
    @Override
    void run(AttackClient client) throws IOException {
      client.askRepeatedly(batch(1_000, i -> call("sleep", "[0]", 1)));
    }
  },

  /** Batches with more elements than allowed. */
  BATCHES_PAST_THE_LIMIT(4, "batches of 100,000 elements", "-32600") {
    @Override
    void run(AttackClient client) throws IOException {
      client.askRepeatedly(batch(100_000, i -> "1"));
    }
  },

  /**
   * Batches of invalid requests: each element of two bytes causes an error forty times its size.
   */
  BATCHES_OF_ONES(4, "batches of 1,000 times 1", "-32600") {
    @Override
    void run(AttackClient client) throws IOException {
      client.askRepeatedly(batch(1_000, i -> "1"));
    }
  },

  /** Batches of invalid requests whose errors the attacker does not read. */
  UNREAD_BATCHES_OF_ONES(60, "batches of 1,000 times 1, never read") {
    @Override
    void run(AttackClient client) throws IOException {
      client.pour(client.framed(batch(1_000, i -> "1")), Integer.MAX_VALUE);
    }
  },

  /** Small batches with responses that are too large together. */
  BATCHES_OF_LARGE_ANSWERS(2, "batches with answers of 100 MB", "-32003", "-32000") {
    @Override
    void run(AttackClient client) throws IOException {
      client.askRepeatedly(batch(1_000, i -> call("text", "[100000]", i)));
    }
  },

  /** JSON nested deeper than allowed, and JSON nested almost as deep as allowed. */
  DEEP_NESTING(4, "nesting, 100,000 and 490 deep", "-32700", AttackRun.ANSWERED) {
    @Override
    void run(AttackClient client) throws IOException {
      byte[] deeper = client.framed("[".repeat(100_000));
      byte[] objects = client.framed(ECHO + "[" + "{\"a\":".repeat(100_000));
      byte[] deep = client.framed(call("echo", "[".repeat(490) + "]".repeat(490), 1));
      while (client.isRunning()) {
        client.ask(deeper);
        client.ask(objects);
        client.ask(deep);
      }
    }
  },

  /** Objects with thousands of names of the same {@code hashCode}, at each place for an object. */
  COLLIDING_NAMES(4, "16,384 names of one hash code", "-32602", AttackRun.ANSWERED) {
    @Override
    void run(AttackClient client) throws IOException {
      String members =
          collisions().map(name -> "\"" + name + "\":1").collect(Collectors.joining(","));
      byte[] kept = client.framed(call("count", "[{" + members + "}]", 1));
      byte[] params = client.framed(call("subtract", "{" + members + "}", 1));
      byte[] builtin = client.framed(call("rpc.cancel", "{" + members + "}", 1));
      byte[] envelope =
          client.framed("{" + members + "," + call("subtract", "[42,23]", 1).substring(1));
      while (client.isRunning()) {
        client.ask(kept);
        client.ask(params);
        client.ask(builtin);
        client.ask(envelope);
      }
    }
  },

  /** Calls of thousands of methods whose names have the same {@code hashCode}. */
  COLLIDING_METHODS(4, "methods whose names collide", "-32601") {
    @Override
    void run(AttackClient client) throws IOException {
      String[] names = collisions().toArray(String[]::new);
      client.askRepeatedly(batch(1_000, i -> call(names[i], "[]", i)));
    }
  },

  /** Notifications, one after another. */
  NOTIFICATIONS(4, "notifications", AttackRun.ANSWERED, AttackRun.TAKEN) {
    @Override
    void run(AttackClient client) throws IOException {
      client.notify(notification("update", "[1,2,3,4,5]"));
    }
  },

  /** Notifications after a slow one: the server must queue them. */
  NOTIFICATIONS_BEHIND_A_SLOW_ONE(40, "notifications behind a slow one") {
    @Override
    void run(AttackClient client) throws IOException {
      client.send(client.framed(notification("sleep", "[4000]")));
      client.pour(client.block(1_000, i -> notification("update", "[]")), Integer.MAX_VALUE);
    }
  },

  /** More waiting calls than may run concurrently. */
  WAITING_CALLS(2, "2,000 calls at once that wait", "-32000") {
    @Override
    void run(AttackClient client) throws IOException {
      client.send(client.block(2_000, i -> call("sleep", "[60000]", i)));
      for (int i = 1_024; i < 2_000; i++) {
        client.readReaction();
      }
      client.trickle(client.protocol.filler());
    }
  },

  /** Ids of 8 MiB. */
  GIANT_IDS(4, "ids of 8 MiB", AttackRun.NO_ROOM, AttackRun.ANSWERED, "-32601") {
    @Override
    void run(AttackClient client) throws IOException {
      String id = "\"" + "x".repeat(8 << 20) + "\"}";
      byte[] known = client.framed(call("subtract", "[42,23]", 1).replace("1}", id));
      byte[] unknown = client.framed(call("nothing", "[]", 1).replace("1}", id));
      while (client.isRunning()) {
        client.ask(known);
        client.ask(unknown);
      }
    }
  },

  /** Names of methods and parameters of 8 MiB. */
  GIANT_NAMES(4, "names of 8 MiB", AttackRun.NO_ROOM, "-32601", "-32602") {
    @Override
    void run(AttackClient client) throws IOException {
      String name = "x".repeat(8 << 20);
      byte[] method = client.framed(call(name, "[]", 1));
      byte[] parameter = client.framed(call("subtract", "{\"" + name + "\":1}", 1));
      while (client.isRunning()) {
        client.ask(method);
        client.ask(parameter);
      }
    }
  },

  /** Calls that are cancelled immediately. */
  CANCELS(4, "calls that are cancelled at once", "-32800", AttackRun.ANSWERED) {
    @Override
    void run(AttackClient client) throws IOException {
      byte[] block = client.block(
          100,
          i -> call("sleep", "[60000]", i),
          i -> notification("rpc.cancel", "{\"id\":" + i + "}"));
      while (client.isRunning()) {
        client.send(block);
        for (int i = 0; i < 100; i++) {
          client.readReaction();
        }
      }
    }
  },

  /** Cancellations with params of a million names. */
  LARGE_CANCELS(4, "cancellations of 13 MB", AttackRun.NO_ROOM, AttackRun.ANSWERED) {
    @Override
    void run(AttackClient client) throws IOException {
      String members = IntStream.range(1_000_000, 2_000_000)
          .mapToObj(i -> "\"" + i + "\":null")
          .collect(Collectors.joining(","));
      client.askRepeatedly(call("rpc.cancel", "{" + members + "}", 1));
    }
  },

  /** Progress notifications for calls that do not exist. */
  PROGRESS(4, "progress of no call", AttackRun.ANSWERED, AttackRun.TAKEN) {
    @Override
    void run(AttackClient client) throws IOException {
      client.notify(notification("rpc.progress", "{\"id\":1,\"value\":1}"));
    }
  };

  private static final byte[] SPACES = " ".repeat(1 << 20).getBytes(ISO_8859_1);
  private static final String ECHO =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":";
  private static final String SLOW = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";

  /** Attacks without effect over HTTP, where every request is served separately. */
  private static final Set<Attack> NOT_OVER_HTTP =
      EnumSet.of(NOTIFICATIONS_BEHIND_A_SLOW_ONE, WAITING_CALLS, CANCELS);

  /** Attacks that would be the same as over HTTP, because a WebSocket starts with HTTP. */
  private static final Set<Attack> NOT_OVER_WEBSOCKET = EnumSet.of(SLOW_HEADERS, CONNECTIONS);

  private final int connections;

  private final String title;
  private final Set<String> reactions;

  Attack(int connections, String title, String... reactions) {
    this.connections = connections;
    this.title = title;
    this.reactions = Stream.of(reactions)
        .flatMap(kinds -> Stream.of(kinds.split(", ")))
        .collect(Collectors.toSet());
  }

  /** Returns the minimum number of connections of the attack. */
  public int connections() {
    return connections;
  }

  /** Attacks on one connection until the attack or the connection has ended. */
  abstract void run(AttackClient client) throws IOException;

  /** Returns a description in words. */
  public String title() {
    return title;
  }

  /**
   * Returns the reactions of a server that keeps its limits, by the kinds of {@link AttackRun}.
   * Empty if the attackers do not read, or send nothing that must be answered. The server may also
   * close their connections.
   */
  public Set<String> reactions() {
    return Set.copyOf(reactions);
  }

  /**
   * Returns whether the attack makes sense over a transport.
   *
   * @param uri a URI of the scheme {@code tcp}, {@code http} or {@code ws}
   */
  public boolean isMeantFor(String uri) {
    return switch (AttackProtocol.of(uri)) {
      case TCP -> true;
      case HTTP -> !NOT_OVER_HTTP.contains(this);
      case WEBSOCKET -> !NOT_OVER_WEBSOCKET.contains(this);
    };
  }

  /** Starts the attack on a server, in separate threads, until the returned run is closed. */
  public AttackRun on(String uri) {
    return new AttackRun(this, uri).start();
  }

  /** Returns the name for arguments and reports, such as {@code slow-headers}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  // ---------------------------------------------------------------- messages

  private static String call(String method, String params, int id) {
    String text = notification(method, params);
    return text.substring(0, text.length() - 1) + ",\"id\":" + id + "}";
  }

  private static String notification(String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}";
  }

  private static String batch(int size, IntFunction<String> element) {
    return IntStream.range(0, size).mapToObj(element).collect(Collectors.joining(",", "[", "]"));
  }

  /** Returns 16,384 different names with the same {@link String#hashCode}. */
  private static Stream<String> collisions() {
    return IntStream.range(0, 1 << 14)
        .mapToObj(bits -> IntStream.range(0, 14)
            .mapToObj(bit -> (bits >> bit & 1) == 0 ? "Aa" : "BB")
            .collect(Collectors.joining()));
  }
}
