package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Lane;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Makes calls of all kinds concurrently on many connections. Waits for the answers of each burst
 * before sending the next one, because later answers would flush an answer that was left in a
 * buffer.
 */
class EveryCallIsAnsweredTest {
  private static final int CONNECTIONS = 8;
  private static final int BURSTS = 150;
  private static final int BURST = 24;
  private static final String[] METHODS = {"quick", "block", "stage", "inline", "ordered", "fail"};
  private static final Pattern ID = Pattern.compile("\"id\":([0-9]+)\\}");

  /** A method of each kind. */
  public static final class Kinds {
    @Rpc
    public int quick() {
      return 1;
    }

    /** Sleeps longer than the time for which the engine gathers answers. */
    @Rpc
    public int block() {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(80));
      return 1;
    }

    @Rpc
    public CompletionStage<Integer> stage() {
      return CompletableFuture.supplyAsync(() -> 1);
    }

    @Rpc(lane = Lane.INLINE)
    public int inline() {
      return 1;
    }

    @Rpc(lane = Lane.ORDERED)
    public int ordered() {
      return 1;
    }

    @Rpc
    public int fail() {
      throw new AssertionError("by design");
    }
  }

  @Test
  void onceAndOnlyOnceOverTcp() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Kinds()))) {
      URI at = URI.create(server.endpoint().toString());
      onManyConnections(() -> new Socket(at.getHost(), at.getPort()));
    }
  }

  private interface Opener {
    Socket open() throws IOException;
  }

  private static void onManyConnections(Opener opener) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        Random random = new Random(i);
        all.add(threads.submit(() -> {
          try (Socket socket = opener.open()) {
            converse(socket, random);
          }
          return null;
        }));
      }
      for (Future<?> one : all) {
        one.get(120, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void converse(Socket socket, Random random) throws IOException {
    socket.setSoTimeout(30_000);
    socket.setTcpNoDelay(true);
    BufferedReader in = new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    List<Integer> answered = new ArrayList<>();
    int asked = 0;
    for (int burst = 0; burst < BURSTS; burst++) {
      StringBuilder text = new StringBuilder();
      int until = asked + 1 + random.nextInt(BURST);
      while (asked < until) {
        asked += frame(text, asked, random);
      }
      socket.getOutputStream().write(text.toString().getBytes(StandardCharsets.US_ASCII));
      if (burst == BURSTS - 1) {
        socket.shutdownOutput(); // the last ones are answered too
      }
      while (answered.size() < asked) {
        answeredBy(in.readLine(), answered);
      }
    }
    assertThat(in.readLine()).as("after all answers").isNull();
    assertThat(answered).doesNotHaveDuplicates().hasSize(asked);
  }

  /** Writes a request, notification or batch; returns the number of its responses. */
  private static int frame(StringBuilder text, int id, Random random) {
    int calls = 1;
    switch (random.nextInt(8)) {
      case 0 -> {
        calls = 0;
        text.append(message(random, ""));
      }
      case 1 -> {
        calls = 1 + random.nextInt(4);
        text.append('[').append(message(random, ""));
        for (int i = 0; i < calls; i++) {
          text.append(',').append(message(random, ",\"id\":" + (id + i)));
        }
        text.append(']');
      }
      default -> text.append(message(random, ",\"id\":" + id));
    }
    text.append('\n');
    return calls;
  }

  private static String message(Random random, String id) {
    String method = METHODS[random.nextInt(METHODS.length)];
    return """
        {"jsonrpc":"2.0","method":"%s"%s}""".formatted(method, id);
  }

  private static void answeredBy(String line, List<Integer> answered) {
    assertThat(line).as("the next answer").isNotNull();
    Matcher id = ID.matcher(line);
    while (id.find()) {
      answered.add(Integer.parseInt(id.group(1)));
    }
  }
}
