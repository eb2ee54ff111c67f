package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Recorder;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MemoryChannelTest {
  private static final Limits SMALL = Limits.builder().outboundBytes(1_000).build();

  @Test
  void framesCrossInOrderAndNeverOnTheSendersThread() throws Exception {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Recorder server = Recorder.echo(pair.server());
    pair.server().start(server);
    Recorder client = Recorder.on(pair.client());
    for (int i = 0; i < 10_000; i++) {
      Recorder.send(pair.client(), "[" + i + "]");
    }
    for (int i = 0; i < 10_000; i++) {
      assertThat(client.next()).isEqualTo("[" + i + "]");
    }
    assertThat(server.threads).doesNotContain(Thread.currentThread());
    assertThat(pair.client().info().framing()).isEqualTo("message");
  }

  @Test
  void framesSentBeforeCloseArrive() throws Exception {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Recorder client = Recorder.on(pair.client());
    Recorder.send(pair.client(), "[1]");
    pair.client().close();
    assertThat(client.end()).isEmpty();
    Recorder server = Recorder.on(pair.server());
    assertThat(server.next()).isEqualTo("[1]");
    assertThat(server.end()).isEmpty();
    assertThatThrownBy(() -> Recorder.send(pair.server(), "[]"))
        .isInstanceOf(DisconnectedException.class);
  }

  @Test
  void abortIsReportedToBothEnds() throws Exception {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Recorder client = Recorder.on(pair.client());
    Recorder server = Recorder.on(pair.server());
    IOException cause = new IOException("by design");
    pair.client().abort(cause);
    assertThat(client.end()).contains(cause);
    assertThat(server.end().orElseThrow()).hasCause(cause);
  }

  @Test
  void aReceiverThatFailsLosesItsConnection() throws Exception {
    IllegalStateException failure = new IllegalStateException("by design");
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Recorder client = Recorder.on(pair.client());
    Recorder server = new Recorder(pair.server()) {
      @Override
      public boolean frame(byte[] bytes, int from, int to) {
        throw failure;
      }
    };
    pair.server().start(server);
    Recorder.send(pair.client(), "[1]");
    assertThat(server.end()).contains(failure);
    assertThat(client.end().orElseThrow()).hasCause(failure);
  }

  @Test
  void aReceiverThatFailsToTellItsReadinessLosesItsConnection() throws Exception {
    IllegalStateException failure = new IllegalStateException("by design");
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Recorder client = Recorder.on(pair.client());
    Recorder server = new Recorder(pair.server()) {
      @Override
      public boolean ready() {
        throw failure;
      }
    };
    pair.server().start(server);
    assertThat(server.end()).contains(failure);
    assertThat(client.end().orElseThrow()).hasCause(failure);
  }

  @Test
  void theEndOfAReceiverThatFailsAfterItHasClosedIsReported() throws Exception {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Recorder client = Recorder.on(pair.client());
    Recorder server = new Recorder(pair.server()) {
      @Override
      public boolean frame(byte[] bytes, int from, int to) {
        pair.server().close();
        throw new IllegalStateException("by design");
      }
    };
    pair.server().start(server);
    Recorder.send(pair.client(), "[1]");
    assertThat(server.end()).isEmpty();
    assertThat(client.end()).isEmpty();
  }

  @Test
  void nothingIsDeliveredWhileTheReceiverIsNotReady() throws Exception {
    ChannelPair pair = ChannelPair.open(SMALL);
    Recorder server = new Recorder(pair.server());
    server.ready = false;
    pair.server().start(server);
    Recorder.on(pair.client());
    Recorder.send(pair.client(), "[\"" + "x".repeat(1_000) + "\"]");
    assertThat(pair.client().awaitRoom(1, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(server.delivered).hasValue(0);
    server.ready = true;
    server.channel.resume();
    assertThat(pair.client().awaitRoom(Recorder.SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(server.next()).hasSize(1_004);
  }

  @Test
  void anEndGetsNoMoreFramesWhileItsAnswersAreNotRead() throws Exception {
    ChannelPair pair = ChannelPair.open(SMALL);
    Recorder server = Recorder.echo(pair.server());
    pair.server().start(server);
    Recorder client = new Recorder(pair.client());
    client.ready = false;
    pair.client().start(client);
    int count = 100;
    for (int i = 0; i < count; i++) {
      OutboundFrame call = pair.client().open().initiate();
      call.ascii("[\"" + "x".repeat(96) + "\"]");
      pair.client().commit(call);
    }
    for (int i = 0; i < 11; i++) {
      server.next();
    }
    Recorder.send(pair.server(), "[]"); // queued in the loop after all frames that it could deliver
    assertThat(server.delivered).hasValue(11);
    client.ready = true;
    client.channel.resume();
    for (int i = 0; i < count + 1; i++) {
      client.next();
    }
  }

  @Test
  void anEndThatReadsNothingForTheDrainTimeoutIsCutOff() throws Exception {
    ChannelPair pair =
        ChannelPair.open(SMALL.toBuilder().drainTimeout(Duration.ofMillis(300)).build());
    Recorder client = Recorder.on(pair.client());
    Recorder.send(pair.client(), "[\"" + "x".repeat(1_000) + "\"]");
    assertThat(client.end().orElseThrow()).hasMessageContaining("drainTimeout");
  }

  @Test
  void aNameIsListenedOnAndConnectedTo() throws Exception {
    BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    Endpoint endpoint = Endpoint.parse("mem:a name");
    Transport transport = Transports.of(endpoint);
    try (Transport.Listening listening =
        transport.listen(endpoint, Limits.builder().connections(1).build(), channel -> {
          channel.start(Recorder.echo(channel));
          accepted.add(channel);
        })) {
      assertThat(listening.endpoint()).isEqualTo(endpoint);
      assertThatThrownBy(() -> transport.listen(endpoint, Limits.DEFAULT, c -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("in use");
      Recorder client = Recorder.on(transport.connect(endpoint, Limits.DEFAULT, Headers.NONE));
      Recorder.send(client.channel, "{}");
      assertThat(client.next()).isEqualTo("{}");
      assertThatThrownBy(() -> transport.connect(endpoint, Limits.DEFAULT, Headers.NONE))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the limit connections");
      client.channel.close();
    }
    assertThatThrownBy(() -> transport.connect(endpoint, Limits.DEFAULT, Headers.NONE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nothing listens there");
  }
}
