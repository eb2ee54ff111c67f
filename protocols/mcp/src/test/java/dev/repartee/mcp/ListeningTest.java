package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Channel;
import dev.repartee.ChannelInfo;
import dev.repartee.Json;
import dev.repartee.Output;
import dev.repartee.Peer;
import dev.repartee.Receiver;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a request that listens is told, and in which order. */
class ListeningTest {
  private static final String LISTEN =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{"
          + "\"notifications\":{\"resourceSubscriptions\":[\"test://one\"]},\"_meta\":{"
          + "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
          + "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

  /** A client that does something as soon as it is told something, while that is still being sent. */
  private static final class QuickClient implements Channel {
    private final Runnable whenTold;
    private final BlockingQueue<Json> heard = new LinkedBlockingQueue<>();
    private @Nullable Receiver receiver;

    QuickClient(Runnable whenTold) {
      this.whenTold = whenTold;
    }

    void say(String message) {
      byte[] frame = message.getBytes(UTF_8);
      Objects.requireNonNull(receiver).frame(frame, 0, frame.length);
    }

    String hears() throws InterruptedException {
      Json message =
          Objects.requireNonNull(heard.poll(30, TimeUnit.SECONDS), "it was told nothing");
      return Objects.requireNonNull(message.get("method")).as(String.class);
    }

    @Override
    public void start(Receiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public Output open() {
      return new Output();
    }

    @Override
    public void commit(Output frame) {
      heard.add(Json.parse(frame.toBytes()));
      whenTold.run();
    }

    @Override
    public void discard(Output frame) {}

    @Override
    public void resume() {}

    @Override
    public boolean awaitRoom(long time, TimeUnit unit) {
      return true;
    }

    @Override
    public void close() {
      Objects.requireNonNull(receiver).closed(null);
    }

    @Override
    public void abort(@Nullable Throwable cause) {
      close();
    }

    @Override
    public ChannelInfo info() {
      return new ChannelInfo("test", "", "message");
    }
  }

  @Test
  void whatChangesWhileTheRequestIsAcknowledgedIsToldAfterThat() throws Exception {
    McpServer server = TestServer.builder().build();
    Thread change = new Thread(() -> server.updated("test://one"));
    QuickClient client = new QuickClient(() -> {
      if (change.getState() == Thread.State.NEW) {
        change.start();
        while (change.getState() != Thread.State.TERMINATED
            && change.getState() != Thread.State.WAITING) {
          Thread.onSpinWait();
        }
      }
    });
    Peer peer = server.open(client);
    client.say(LISTEN);

    assertThat(client.hears()).isEqualTo("notifications/subscriptions/acknowledged");
    assertThat(client.hears()).isEqualTo("notifications/resources/updated");
    peer.close();
  }
}
