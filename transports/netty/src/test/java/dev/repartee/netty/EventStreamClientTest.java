package dev.repartee.netty;

import static dev.repartee.netty.ScriptedServer.EVENTS;
import static dev.repartee.netty.ScriptedServer.LAST_CHUNK;
import static dev.repartee.netty.ScriptedServer.await;
import static dev.repartee.netty.ScriptedServer.chunk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.testkit.RecordingReceiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests responses that are a stream of events. */
class EventStreamClientTest {
  private static String answer(int id) {
    return """
        data: {"jsonrpc":"2.0","result":19,"id":%s}

        """.formatted(id);
  }

  private static String progress(int id, int value) {
    return """
        event: message\r
        data: {"jsonrpc":"2.0","method":"rpc.progress",\r
        data: "params":{"id":%s,"value":%s}}\r
        \r
        """.formatted(id, value);
  }

  @Test
  void aPostAcceptsEventsToo() throws Exception {
    BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    try (ScriptedServer server = new ScriptedServer(connection -> {
          asked.add(connection.request());
          connection.send(EVENTS + chunk(answer(1)) + LAST_CHUNK);
        });
        Peer peer = Repartee.connect(server.uri())) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      assertThat(asked.take()).contains("accept: application/json, text/event-stream\r\n");
    }
  }

  @Test
  void progressAndAnswerArriveBeforeTheStreamEnds() throws Exception {
    CountDownLatch heard = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    try (ScriptedServer server = new ScriptedServer(connection -> {
          connection.request();
          connection.send(EVENTS + chunk(": hello\n\n") + chunk(progress(1, 7)));
          await(heard);
          connection.send(chunk(": still here\n\n") + chunk(answer(1)));
          await(done);
          connection.send(LAST_CHUNK);
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri())) {
      CallFuture<Integer> call = peer.request("slow")
          .onProgress(value -> {
            told.add(value.toString());
            heard.countDown();
          })
          .send(Integer.class);
      assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(19);
      assertThat(told).containsExactly("7");
      done.countDown();
    }
  }

  @Test
  void eventsMayBeSplitAtEveryByte() throws Exception {
    String events = progress(1, 7) + ":\n\n" + answer(1).replace("1}", "%d}");
    int splits = events.length();
    try (ScriptedServer server = new ScriptedServer(connection -> {
          for (int split = 1; split < splits; split++) {
            connection.request();
            String said = events.replace("%d", String.valueOf(split));
            connection.send(EVENTS + chunk(said.substring(0, split)));
            connection.send(chunk(said.substring(split)) + LAST_CHUNK);
          }
        });
        Peer peer = Repartee.connect(server.uri())) {
      for (int split = 1; split < splits; split++) {
        assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      }
      assertThat(server.connections).hasValue(1);
    }
  }

  @Test
  void manyEventsMayComeAtOnce() throws Exception {
    try (ScriptedServer server = new ScriptedServer(connection -> {
          connection.request();
          String others = "event: ping\ndata: {}\n\n" + "data:\nid: 7\n\n";
          connection.send(EVENTS
              + chunk(progress(1, 1) + others + progress(1, 2) + ":\n\n" + answer(1))
              + LAST_CHUNK);
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri())) {
      List<String> told = Collections.synchronizedList(new ArrayList<>());
      CallFuture<Integer> call =
          peer.request("slow").onProgress(value -> told.add(value.toString())).send(Integer.class);
      assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(19);
      assertThat(told).containsExactly("1", "2");
    }
  }

  @Test
  void aStreamThatEndsWithoutTheAnswerFailsTheCall() throws Exception {
    try (ScriptedServer server = new ScriptedServer(connection -> {
          connection.request();
          connection.send(EVENTS + chunk(progress(1, 1)) + LAST_CHUNK);
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri())) {
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("a stream that ended without a JSON-RPC response");
    }
  }

  @Test
  void aStreamThatBreaksOffFailsTheCallAndNoOther() throws Exception {
    try (ScriptedServer server = new ScriptedServer(connection -> {
          boolean breaks = connection.request().contains("\"breaks\"");
          connection.send(EVENTS + chunk(answer(breaks ? 7 : 2)));
        });
        Peer peer = Repartee.connect(server.uri())) {
      assertThatThrownBy(() -> peer.call("breaks", int.class))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("ended before the answer came");
      assertThat(peer.call("goes on", int.class)).isEqualTo(19);
    }
  }

  @Test
  void aStreamThatDoesNotEndIsClosedAfterTheAnswer() throws Exception {
    CountDownLatch left = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(connection -> {
          connection.request();
          connection.send(EVENTS + chunk(answer(1)));
          connection.awaitEnd();
          left.countDown();
        });
        Peer peer = Repartee.connect(server.uri())) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aStreamOfACancelledCallIsClosedThoughItGoesOn() throws Exception {
    CountDownLatch left = new CountDownLatch(1);
    CountDownLatch heard = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(connection -> {
          if (!connection.request().contains("\"slow\"")) {
            connection.send("HTTP/1.1 204 No Content\r\n\r\n");
            return;
          }
          connection.send(EVENTS);
          try {
            while (true) {
              connection.send(chunk(progress(1, 1)));
              Thread.sleep(10);
            }
          } finally {
            left.countDown();
          }
        });
        Peer peer = Repartee.connect(server.uri())) {
      CallFuture<Integer> call =
          peer.request("slow").onProgress(value -> heard.countDown()).send(Integer.class);
      await(heard);
      call.cancel(true);
      assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  /**
   * A stream may continue for a moment after its answer. A call that is given up while one of its
   * events is delivered has no answer.
   */
  @Test
  void aStreamOfACallThatIsCancelledByItsProgressIsClosedAtOnce() throws Exception {
    CountDownLatch next = new CountDownLatch(1);
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    CountDownLatch cancelled = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(connection -> {
          if (connection.request().contains("\"slow\"")) {
            connection.send(EVENTS + chunk(progress(1, 1)));
            await(next);
            ended.complete(connection.isEnded());
          } else {
            next.countDown(); // the step that closes the stream ran before this request was sent
            connection.send("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
            connection.awaitEnd();
          }
        });
        Peer peer = Repartee.connect(server.uri())) {
      CompletableFuture<CallFuture<Integer>> call = new CompletableFuture<>();
      call.complete(peer.request("slow")
          .onProgress(value -> {
            call.join().cancel(true);
            cancelled.countDown();
          })
          .send(Integer.class));
      await(cancelled);
      peer.notify("next");
      assertThat(ended.get(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void anEventPastTheLimitFailsTheCall() throws Exception {
    Options options =
        Options.builder().limits(limits -> limits.frameBytes(1_000)).build();
    try (ScriptedServer server = new ScriptedServer(connection -> {
          connection.request();
          connection.send(EVENTS + chunk("data: " + "x".repeat(900) + "\ndata: "));
          connection.send(chunk("x".repeat(900) + "\n\n"));
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri(), options)) {
      assertThatThrownBy(() -> peer.call("subtract", int.class, 42, 23))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("frameBytes");
    }
  }

  /**
   * Reading must stop: otherwise the held events would exceed the limit, and the request would
   * fail.
   */
  @Test
  void aReceiverThatIsNotReadyStopsTheStreamUntilItIs() throws Exception {
    int events = 5_000;
    String padding = "x".repeat(1_000);
    try (ScriptedServer server = new ScriptedServer(connection -> {
      connection.request();
      connection.send(EVENTS);
      for (int i = 0; i < events; i++) {
        connection.send(chunk("data: [" + i + ",\"" + padding + "\"]\n\n"));
      }
      connection.send(LAST_CHUNK);
      connection.awaitEnd();
    })) {
      Endpoint endpoint = Endpoint.parse(server.uri());
      Options options =
          Options.builder().limits(limits -> limits.queuedBytes(300_000)).build();
      Channel channel = Transport.open(endpoint, options.limits(), options.headers());
      RecordingReceiver receiver = new RecordingReceiver() {
        private int heard;

        @Override
        public boolean frame(byte[] bytes, int from, int to) {
          stall(++heard % 500 == 0);
          return super.frame(bytes, from, to);
        }
      };
      channel.start(receiver);
      channel.send("[\"go\"]".getBytes(StandardCharsets.UTF_8));
      for (int i = 0; i < events; i++) {
        assertThat(receiver.next()).startsWith("[" + i + ",");
        if ((i + 1) % 500 == 0) {
          receiver.stall(false);
          channel.resume();
        }
      }
      channel.abort(null);
    }
  }

  @Test
  void aRequestOfTheServerInTheStreamIsAnsweredByAPost() throws Exception {
    BlockingQueue<String> posted = new LinkedBlockingQueue<>();
    CountDownLatch answered = new CountDownLatch(1);
    Service service = Service.builder().method("name", call -> "client").build();
    try (ScriptedServer server = new ScriptedServer(connection -> {
          String asked = connection.request();
          if (asked.contains("\"result\"")) {
            posted.add(asked);
            answered.countDown();
            connection.send("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
          } else {
            connection.send(EVENTS + chunk("""
                data: {"jsonrpc":"2.0","method":"name","id":"s1"}

                """));
            await(answered);
            connection.send(chunk(answer(1)) + LAST_CHUNK);
          }
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri(), service, Options.DEFAULT)) {
      assertThat(peer.call("ask", int.class)).isEqualTo(19);
      assertThat(posted.take()).endsWith("""
          {"jsonrpc":"2.0","result":"client","id":"s1"}""");
    }
  }

  @Test
  void interimAnswersArePassedOver() throws Exception {
    try (ScriptedServer server = new ScriptedServer(connection -> {
          connection.request();
          connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
              + "HTTP/1.1 100 Continue\r\n\r\n" + EVENTS + chunk(answer(1)) + LAST_CHUNK);
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri())) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
    }
  }
}
