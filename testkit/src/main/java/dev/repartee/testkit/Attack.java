package dev.repartee.testkit;

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
 * A way to harm a server that costs whoever does it little, meant for a {@link Victim}. Tests and
 * benchmarks attack alike, by {@link #on}.
 */
public enum Attack {
  /** Headers of which a byte comes now and then. */
  SLOW_HEADERS(200, "slow headers") {
    @Override
    void go(Attacker me) throws IOException {
      me.send(me.carrier == Carrier.TCP ? "Content-Length: 9\r\nX-Slow: " : SLOW)
          .trickle("x");
    }
  },

  /** Messages of 100 KiB that come at once but for their end, of which a byte comes now and then. */
  SLOW_BODIES(200, "slow bodies") {
    @Override
    void go(Attacker me) throws IOException {
      me.send(me.carrier.begun(ECHO + "[\"", 1 << 20))
          .send("x".repeat(100 << 10))
          .trickle("x");
    }
  },

  /** Messages of 15 MiB that come at once but for their end. */
  LARGE_MESSAGES_IN_PART(24, "messages of 15 MiB without an end", Assault.NO_ROOM) {
    @Override
    void go(Attacker me) throws IOException {
      me.send(me.carrier.begun(ECHO + "[\"", 16_000_000)).pour(SPACES, 15);
      me.trickle(" ");
    }
  },

  /** More connections than the server takes. */
  CONNECTIONS(8, "connections past the limit", Assault.ANSWERED, Assault.CUT_OFF) {
    @Override
    void go(Attacker me) throws IOException {
      byte[] ping = me.framed(call("rpc.ping", "[]", 1));
      me.ask(ping);
      while (me.goesOn()) {
        me.another().ask(ping);
      }
    }
  },

  /** Calls whose answers, of about their own size, nobody reads. */
  UNREAD_ECHOES(16, "echoes of 60 kB, never read") {
    @Override
    void go(Attacker me) throws IOException {
      me.pour(me.framed(call("echo", "[\"" + "x".repeat(60_000) + "\"]", 1)), Integer.MAX_VALUE);
    }
  },

  /** Small calls whose large answers nobody reads. */
  UNREAD_ANSWERS(8, "answers of 100 kB, never read") {
    @Override
    void go(Attacker me) throws IOException {
      me.pour(me.framed(call("text", "[100000]", 1)), 600).trickle(me.carrier.filler());
    }
  },

  /** Large answers that have to wait for a slow one, in a batch or by the order of HTTP. */
  ANSWERS_BEHIND_A_SLOW_ONE(16, "answers of 100 kB behind a slow one") {
    @Override
    void go(Attacker me) throws IOException {
      String slow = call("sleep", "[60000]", 1);
      String large = call("text", "[100000]", 2);
      if (me.carrier == Carrier.HTTP) {
        me.send(me.framed(slow)).pour(me.framed(large), 63);
      } else {
        me.send(me.framed("[" + slow + ("," + large).repeat(120) + "]"));
      }
      me.trickle(me.carrier.filler());
    }
  },

  /** Batches of as many calls as a batch may have. */
  BATCHES(4, "batches of 1,000 calls", Assault.ANSWERED) {
    @Override
    void go(Attacker me) throws IOException {
      me.askOn(batch(1_000, i -> call("subtract", "[42,23]", i)));
    }
  },

  /** Batches of calls that run on workers, all of one id. */
  BATCHES_OF_ONE_ID(4, "batches of 1,000 calls of one id", Assault.ANSWERED) {
    @Override
    void go(Attacker me) throws IOException {
      me.askOn(batch(1_000, i -> call("sleep", "[0]", 1)));
    }
  },

  /** Batches past the limit. */
  BATCHES_PAST_THE_LIMIT(4, "batches of 100,000 elements", "-32600") {
    @Override
    void go(Attacker me) throws IOException {
      me.askOn(batch(100_000, i -> "1"));
    }
  },

  /** Batches of what is no call: each element of two bytes costs an answer of forty times as many. */
  BATCHES_OF_ONES(4, "batches of 1,000 times 1", "-32600") {
    @Override
    void go(Attacker me) throws IOException {
      me.askOn(batch(1_000, i -> "1"));
    }
  },

  /** The same, and the answers are not read. */
  UNREAD_BATCHES_OF_ONES(60, "batches of 1,000 times 1, never read") {
    @Override
    void go(Attacker me) throws IOException {
      me.pour(me.framed(batch(1_000, i -> "1")), Integer.MAX_VALUE);
    }
  },

  /** Small batches with answers that are too large together. */
  BATCHES_OF_LARGE_ANSWERS(2, "batches with answers of 100 MB", "-32003", "-32000") {
    @Override
    void go(Attacker me) throws IOException {
      me.askOn(batch(1_000, i -> call("text", "[100000]", i)));
    }
  },

  /** What is deeper than JSON may be, and what is as deep as it may be. */
  DEEP_NESTING(4, "nesting, 100,000 and 490 deep", "-32700", Assault.ANSWERED) {
    @Override
    void go(Attacker me) throws IOException {
      byte[] deeper = me.framed("[".repeat(100_000));
      byte[] objects = me.framed(ECHO + "[" + "{\"a\":".repeat(100_000));
      byte[] deep = me.framed(call("echo", "[".repeat(490) + "]".repeat(490), 1));
      while (me.goesOn()) {
        me.ask(deeper);
        me.ask(objects);
        me.ask(deep);
      }
    }
  },

  /** Objects of thousands of names with the same {@code hashCode}, wherever an object may stand. */
  COLLIDING_NAMES(4, "16,384 names of one hash code", "-32602", Assault.ANSWERED) {
    @Override
    void go(Attacker me) throws IOException {
      String members =
          collisions().map(name -> "\"" + name + "\":1").collect(Collectors.joining(","));
      byte[] kept = me.framed(call("count", "[{" + members + "}]", 1));
      byte[] params = me.framed(call("subtract", "{" + members + "}", 1));
      byte[] builtin = me.framed(call("rpc.cancel", "{" + members + "}", 1));
      byte[] envelope =
          me.framed("{" + members + "," + call("subtract", "[42,23]", 1).substring(1));
      while (me.goesOn()) {
        me.ask(kept);
        me.ask(params);
        me.ask(builtin);
        me.ask(envelope);
      }
    }
  },

  /** Calls of thousands of methods whose names have the same {@code hashCode}. */
  COLLIDING_METHODS(4, "methods whose names collide", "-32601") {
    @Override
    void go(Attacker me) throws IOException {
      String[] names = collisions().toArray(String[]::new);
      me.askOn(batch(1_000, i -> call(names[i], "[]", i)));
    }
  },

  /** Notifications, one behind the other. */
  NOTIFICATIONS(4, "notifications", Assault.ANSWERED, Assault.TAKEN) {
    @Override
    void go(Attacker me) throws IOException {
      me.notify(notification("update", "[1,2,3,4,5]"));
    }
  },

  /** Notifications behind one that takes long: they have to be kept. */
  NOTIFICATIONS_BEHIND_A_SLOW_ONE(40, "notifications behind a slow one") {
    @Override
    void go(Attacker me) throws IOException {
      me.send(me.framed(notification("sleep", "[4000]")));
      me.pour(me.block(1_000, i -> notification("update", "[]")), Integer.MAX_VALUE);
    }
  },

  /** More calls that wait than may run at once. */
  WAITING_CALLS(2, "2,000 calls at once that wait", "-32000") {
    @Override
    void go(Attacker me) throws IOException {
      me.send(me.block(2_000, i -> call("sleep", "[60000]", i)));
      for (int i = 1_024; i < 2_000; i++) {
        me.hear();
      }
      me.trickle(me.carrier.filler());
    }
  },

  /** Ids of 8 MiB. */
  GIANT_IDS(4, "ids of 8 MiB", Assault.NO_ROOM, Assault.ANSWERED, "-32601") {
    @Override
    void go(Attacker me) throws IOException {
      String id = "\"" + "x".repeat(8 << 20) + "\"}";
      byte[] known = me.framed(call("subtract", "[42,23]", 1).replace("1}", id));
      byte[] unknown = me.framed(call("nothing", "[]", 1).replace("1}", id));
      while (me.goesOn()) {
        me.ask(known);
        me.ask(unknown);
      }
    }
  },

  /** Names of methods and parameters of 8 MiB. */
  GIANT_NAMES(4, "names of 8 MiB", Assault.NO_ROOM, "-32601", "-32602") {
    @Override
    void go(Attacker me) throws IOException {
      String name = "x".repeat(8 << 20);
      byte[] method = me.framed(call(name, "[]", 1));
      byte[] parameter = me.framed(call("subtract", "{\"" + name + "\":1}", 1));
      while (me.goesOn()) {
        me.ask(method);
        me.ask(parameter);
      }
    }
  },

  /** Calls that are cancelled at once. */
  CANCELS(4, "calls that are cancelled at once", "-32800", Assault.ANSWERED) {
    @Override
    void go(Attacker me) throws IOException {
      byte[] block = me.block(
          100,
          i -> call("sleep", "[60000]", i),
          i -> notification("rpc.cancel", "{\"id\":" + i + "}"));
      while (me.goesOn()) {
        me.send(block);
        for (int i = 0; i < 100; i++) {
          me.hear();
        }
      }
    }
  },

  /** Cancellations with params of a million names. */
  LARGE_CANCELS(4, "cancellations of 13 MB", Assault.NO_ROOM, Assault.ANSWERED) {
    @Override
    void go(Attacker me) throws IOException {
      String members = IntStream.range(1_000_000, 2_000_000)
          .mapToObj(i -> "\"" + i + "\":null")
          .collect(Collectors.joining(","));
      me.askOn(call("rpc.cancel", "{" + members + "}", 1));
    }
  },

  /** Reports of progress of calls that there are none of. */
  PROGRESS(4, "progress of no call", Assault.ANSWERED, Assault.TAKEN) {
    @Override
    void go(Attacker me) throws IOException {
      me.notify(notification("rpc.progress", "{\"id\":1,\"value\":1}"));
    }
  };

  private static final byte[] SPACES = " ".repeat(1 << 20).getBytes(ISO_8859_1);
  private static final String ECHO =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":";
  private static final String SLOW = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";

  /** Over HTTP every request is served for itself: these would ask nothing of it. */
  private static final Set<Attack> NOT_OVER_HTTP =
      EnumSet.of(NOTIFICATIONS_BEHIND_A_SLOW_ONE, WAITING_CALLS, CANCELS);

  /** A WebSocket begins as HTTP does. */
  private static final Set<Attack> NOT_OVER_WEBSOCKET = EnumSet.of(SLOW_HEADERS, CONNECTIONS);

  /** How many connections it is made on, at least. */
  final int attackers;

  private final String title;
  private final Set<String> told;

  Attack(int attackers, String title, String... told) {
    this.attackers = attackers;
    this.title = title;
    this.told =
        Stream.of(told).flatMap(kinds -> Stream.of(kinds.split(", "))).collect(Collectors.toSet());
  }

  /** Does on one connection, until the attack is over or the connection has ended, what it is. */
  abstract void go(Attacker me) throws IOException;

  /** What it is, in words. */
  public String title() {
    return title;
  }

  /**
   * What attackers may be told by a server that keeps its limits, by the kinds of {@link Assault}. Empty
   * where they do not listen, or say nothing that an answer is owed to: they may be cut off.
   */
  public Set<String> told() {
    return Set.copyOf(told);
  }

  /** Whether it makes sense at a server at that URI, of the scheme {@code tcp}, {@code http} or {@code ws}. */
  public boolean isMeantFor(String uri) {
    return switch (Carrier.of(uri)) {
      case TCP -> true;
      case HTTP -> !NOT_OVER_HTTP.contains(this);
      case WEBSOCKET -> !NOT_OVER_WEBSOCKET.contains(this);
    };
  }

  /** Begins it, in threads of its own, until what this returns is closed. */
  public Assault on(String uri) {
    return new Assault(this, uri).begin();
  }

  /** As arguments and reports name it: {@code slow-headers}. */
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

  /** 16,384 names that differ, and {@link String#hashCode} does not tell them apart. */
  private static Stream<String> collisions() {
    return IntStream.range(0, 1 << 14)
        .mapToObj(bits -> IntStream.range(0, 14)
            .mapToObj(bit -> (bits >> bit & 1) == 0 ? "Aa" : "BB")
            .collect(Collectors.joining()));
  }
}
