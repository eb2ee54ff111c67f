package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An interrupt flag that user code leaves set does not reach other code or a thread of the library.
 */
class InterruptFlagTest {
  private static final String SET = """
      {"jsonrpc":"2.0","method":"set","id":1}""";
  private static final String IS_SET = """
      {"jsonrpc":"2.0","method":"isSet","id":2}""";
  private static final String NOT_SET = """
      {"jsonrpc":"2.0","result":false,"id":2}""";

  private static Service service(Lane lane) {
    return Service.builder()
        .method("set", lane, call -> {
          Thread.currentThread().interrupt();
          return 1;
        })
        .method("isSet", lane, call -> Thread.currentThread().isInterrupted())
        .method("never", call -> new CompletableFuture<Integer>())
        .build();
  }

  @Test
  void thatOfAHandlerDoesNotReachTheNextHandlerOfTheWorker() {
    Queue<Runnable> workers = new ArrayDeque<>();
    List<String> answers = new ArrayList<>();
    FrameSink out = new FrameSink() {
      @Override
      public OutboundFrame open() {
        return new OutboundFrame(Integer.MAX_VALUE);
      }

      @Override
      public void commit(OutboundFrame frame) {
        answers.add(frame.toString());
      }
    };
    Responder responder = new Responder(new Connection(
        new ServerContext(service(Lane.CONCURRENT), Options.DEFAULT),
        out,
        new ChannelInfo("test", "", "message"),
        Attributes.NONE,
        workers::add,
        () -> {}));
    for (String request : List.of(SET, IS_SET)) {
      responder.serveAlone(request.getBytes(UTF_8), 0, request.length());
    }
    workers.remove().run();
    assertThat(answers).hasSize(2).last().isEqualTo(NOT_SET);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void thatOfAnInlineHandlerReachesNeitherTheNextOneNorTheLoop() throws Exception {
    Listener interrupting = new Listener() {
      @Override
      public void connected(Peer peer) {
        Thread.currentThread().interrupt();
      }
    };
    try (Server server = Repartee.listen(
            "tcp://127.0.0.1:0",
            service(Lane.INLINE),
            Options.builder().listener(interrupting).build());
        RawPeer client = new RawPeer(server)) {
      for (String burst : List.of(IS_SET, SET + "\n" + IS_SET, "[" + SET + "," + IS_SET + "]")) {
        client.send(burst + "\n" + IS_SET);
        String answer = client.read().toString();
        while (!answer.equals(NOT_SET)) {
          assertThat(answer).doesNotContain("true");
          answer = client.read().toString();
        }
      }
      assertThat(client.read()).hasToString(NOT_SET);
    }
  }

  @Test
  void thatOfAnInlineHandlerDoesNotEndThePipesOfItsConnection(@TempDir Path directory)
      throws Exception {
    Path in = directory.resolve("in");
    Path out = directory.resolve("out");
    assertThat(
            new ProcessBuilder("mkfifo", in.toString(), out.toString()).start().waitFor())
        .isZero();
    try (Server server = Repartee.listen("pipe:" + in + "," + out, service(Lane.INLINE));
        Peer peer = Repartee.connect("pipe:" + out + "," + in)) {
      for (int i = 0; i < 3; i++) {
        assertThat(peer.call("set", int.class)).isEqualTo(1);
        assertThat(peer.call("isSet", boolean.class)).isFalse();
      }
      assertThat(server.peers()).hasSize(1);
    }
  }

  @Test
  void thatOfACallbackReachesNeitherTheNextOneNorTheSweeper() throws IOException {
    try (Server server = Repartee.listen("mem:interrupt", service(Lane.CONCURRENT));
        Peer peer = Repartee.connect(server.endpoint())) {
      for (int i = 0; i < 3; i++) {
        BlockingQueue<Boolean> seen = new LinkedBlockingQueue<>();
        peer.request("never")
            .timeout(Duration.ofMillis(10))
            .send(int.class)
            .whenComplete((value, failure) -> {
              seen.add(Thread.currentThread().isInterrupted());
              Thread.currentThread().interrupt();
            });
        Thread.interrupted(); // the callback has run here, if the time-out came before it was set
        assertThat(take(seen)).isFalse();
      }
    }
  }

  private static boolean take(BlockingQueue<Boolean> seen) {
    try {
      Boolean flag = seen.poll(Recorder.SECONDS, TimeUnit.SECONDS);
      assertThat(flag).isNotNull();
      return flag;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
