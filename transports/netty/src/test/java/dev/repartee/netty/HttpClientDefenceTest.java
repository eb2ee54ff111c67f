package dev.repartee.netty;

import static dev.repartee.netty.ScriptedServer.EVENTS;
import static dev.repartee.netty.ScriptedServer.await;
import static dev.repartee.netty.ScriptedServer.chunk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.transport.ChannelInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a client over HTTP against servers that break the rules, or never answer. */
class HttpClientDefenceTest {
  private static final String DONE = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";

  private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

  /** Returns the id of the call in a request. */
  private static String id(String request) {
    return request.replaceAll("(?s).*\"id\":([0-9]+)}$", "$1");
  }

  private static String answer(String id, String result) {
    return ScriptedServer.json("""
        {"jsonrpc":"2.0","result":"%s","id":%s}""".formatted(result, id));
  }

  @Test
  void aStreamIsNotReadWhileTooManyRepliesWait() throws Exception {
    int requests = 4_000;
    AtomicInteger taken = new AtomicInteger();
    String id = "x".repeat(10_000); // the reply repeats it
    String request = chunk("""
        data: {"jsonrpc":"2.0","method":"none","id":"%s"}

        """.formatted(id));
    Options options = Options.builder()
        .limits(limits -> limits
            .outboundBytes(64 << 10)
            .callTimeout(Duration.ofSeconds(1))
            .closeTimeout(Duration.ofMillis(10)))
        .build();
    try (ScriptedServer server = new ScriptedServer(connection -> {
          if (!connection.request().contains("\"ask\"")) {
            connection.awaitEnd(); // a reply, which is never accepted
            return;
          }
          connection.send(EVENTS);
          while (taken.get() < requests) {
            connection.send(request);
            taken.incrementAndGet();
          }
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri(), options)) {
      assertThatThrownBy(() -> peer.call("ask", String.class))
          .isInstanceOf(CallTimeoutException.class);
      assertThat(taken).hasValueLessThan(requests);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/json", "text/event-stream"})
  void anAnswerToAReplyIsReportedAndCausesNoOtherReply(String type) throws Exception {
    BlockingQueue<String> violations = new LinkedBlockingQueue<>();
    CountDownLatch reported = new CountDownLatch(1);
    Options options = Options.builder()
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String what) {
            violations.add(what);
            reported.countDown();
          }
        })
        .build();
    String request = """
        {"jsonrpc":"2.0","method":"none","id":"s1"}""";
    String event = "data: " + request + "\n\n";
    boolean events = type.startsWith("text");
    try (ScriptedServer server = new ScriptedServer(connection -> {
          String head = connection.request();
          if (head.contains("\"ask\"")) {
            connection.send(EVENTS + chunk(event));
            await(reported);
            connection.send(chunk("""
                data: {"jsonrpc":"2.0","result":1,"id":1}

                """));
          } else {
            asked.add(head);
            connection.send(
                events ? EVENTS + chunk(event + event + event) : ScriptedServer.json(request));
          }
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri(), options)) {
      assertThat(peer.call("ask", int.class)).isEqualTo(1);
      assertThat(violations).singleElement().asString().contains("an answer to a reply");
      assertThat(asked).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"once more", "of a later call", "in part"})
  void bytesBehindAnAnswerAnswerNothingAndEndTheConnection(String extra) throws Exception {
    int calls = 40;
    CountDownLatch busy = new CountDownLatch(8);
    try (ScriptedServer server = new ScriptedServer(connection -> {
          while (true) {
            String id = id(connection.request());
            busy.countDown();
            await(busy);
            String more = switch (extra) {
              case "once more" -> answer(id, "mine");
              case "in part" -> "HTTP/1.1 200 OK\r\nContent-";
              default -> answer(String.valueOf(Integer.parseInt(id) + 8), "not mine");
            };
            connection.send(answer(id, "mine") + more);
          }
        });
        Peer peer = Repartee.connect(server.uri())) {
      List<CallFuture<String>> all = new ArrayList<>();
      for (int i = 0; i < calls; i++) {
        all.add(peer.callAsync("m", String.class));
      }
      for (CallFuture<String> call : all) {
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("mine");
      }
      assertThat(server.connections).hasValue(calls);
    }
  }

  @Test
  void aCallThatIsGivenUpBeforeItLeavesNeverLeaves() throws Exception {
    CountDownLatch registered = new CountDownLatch(1);
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(connection -> {
          while (true) {
            String request = connection.request();
            asked.add(request);
            await(registered);
            connection.send(answer(id(request), "mine"));
          }
        });
        Peer peer = Repartee.connect(server.uri())) {
      CallFuture<String> first = peer.callAsync("first", String.class);
      var held = first.thenAccept(result -> {
        reading.countDown();
        try {
          await(released); // meanwhile, nothing can be sent
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      });
      registered.countDown(); // the answer arrives later, and its reader runs the action
      await(reading);
      for (int i = 0; i < 20; i++) {
        peer.callAsync("pay", String.class).cancel(true);
      }
      CallFuture<String> last = peer.callAsync("last", String.class);
      released.countDown();
      assertThat(last.get(30, TimeUnit.SECONDS)).isEqualTo("mine");
      held.get(30, TimeUnit.SECONDS);
      for (int i = 0; i < 8; i++) {
        assertThat(peer.call("more", String.class)).isEqualTo("mine");
      }
      assertThat(asked).noneMatch(request -> request.contains("\"pay\""));
    }
  }

  @Test
  void aNotificationInABatchLeavesThoughItsCallsAreGivenUp() throws Exception {
    try (ScriptedServer server = new ScriptedServer(connection -> {
          asked.add(connection.request());
          connection.send(DONE);
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri())) {
      var batch = peer.batch();
      CallFuture<String> call = batch.callAsync("m", String.class);
      batch.notify("event");
      call.cancel(true);
      batch.send();
      assertThat(asked.poll(30, TimeUnit.SECONDS)).contains("\"event\"");
    }
  }

  @Test
  void aNotificationInABatchLeavesThoughItsCallsAreGivenUpInTheQueue() throws Exception {
    CountDownLatch registered = new CountDownLatch(1);
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(connection -> {
          while (true) {
            String request = connection.request();
            asked.add(request);
            await(registered);
            connection.send(request.contains("first") ? answer(id(request), "mine") : DONE);
          }
        });
        Peer peer = Repartee.connect(server.uri())) {
      CallFuture<String> first = peer.callAsync("first", String.class);
      var held = first.thenAccept(result -> {
        reading.countDown();
        try {
          await(released); // so that nothing leaves meanwhile
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      });
      registered.countDown(); // the answer comes later, so the action runs where it is read
      await(reading);
      var batch = peer.batch();
      CallFuture<String> call = batch.callAsync("m", String.class);
      batch.notify("event");
      batch.send();
      call.cancel(true);
      released.countDown();
      held.get(30, TimeUnit.SECONDS);
      assertThat(asked.poll(30, TimeUnit.SECONDS)).contains("\"first\"");
      assertThat(asked.poll(30, TimeUnit.SECONDS)).contains("\"event\"");
    }
  }

  @Test
  void aCallThatIsGivenUpEndsItsRequestAndSendsNoOther() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(connection -> {
          String request = connection.request();
          asked.add(request);
          if (request.contains("\"slow\"")) {
            connection.send(EVENTS + chunk(": hello\n\n"));
            arrived.countDown();
            connection.awaitEnd();
            left.countDown();
          } else {
            connection.send(answer(id(request), "mine"));
          }
        });
        Peer peer = Repartee.connect(server.uri())) {
      CallFuture<String> slow = peer.callAsync("slow", String.class);
      await(arrived);
      slow.cancel(true);
      await(left);
      assertThat(peer.call("next", String.class)).isEqualTo("mine");
      assertThat(asked).hasSize(2).noneMatch(request -> request.contains("rpc.cancel"));
    }
  }

  @Test
  void answersThatNeverEndDoNotBlockOtherCalls() throws Exception {
    try (ScriptedServer server = new ScriptedServer(connection -> {
          String request = connection.request();
          if (request.contains("\"slow\"")) {
            connection.awaitEnd();
          }
          connection.send(answer(id(request), "mine"));
        });
        Peer peer = Repartee.connect(server.uri())) {
      for (int i = 0; i < 20; i++) {
        peer.callAsync("slow", String.class);
      }
      assertThat(peer.call("quick", String.class)).isEqualTo("mine");
    }
  }

  @Test
  void aChangeOfProtocolIsNoAnswer() throws Exception {
    try (ScriptedServer server = new ScriptedServer(connection -> {
          if (!connection.request().contains("\"change\"")) {
            connection.send(answer("2", "mine"));
          }
          connection.send("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri())) {
      assertThatThrownBy(() -> peer.call("change", String.class))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("HTTP status 101");
      assertThat(peer.call("next", String.class)).isEqualTo("mine");
    }
  }
}
