package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Recorder;
import dev.repartee.Service;
import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StreamChannelTest {
  /** A peer that has ended its output and reads nothing any more. */
  private static final class Gone implements StreamChannel.Duplex {
    @Override
    public InputStream input() {
      return InputStream.nullInputStream();
    }

    @Override
    public OutputStream output() {
      return new OutputStream() {
        @Override
        public void write(int b) throws IOException {
          throw new IOException("broken pipe: by design");
        }
      };
    }

    @Override
    public void close() {}

    @Override
    public void abort() {}
  }

  /** One end of two pipes of the system. */
  private record Pipes(Pipe.SourceChannel in, Pipe.SinkChannel out)
      implements StreamChannel.Duplex {
    @Override
    public InputStream input() {
      return Channels.newInputStream(in);
    }

    @Override
    public OutputStream output() {
      return Channels.newOutputStream(out);
    }

    @Override
    public void close() throws IOException {
      out.close();
      in.close();
    }

    @Override
    public void abort() {
      try {
        close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static Peer over(Pipe in, Pipe out, Service service, Limits limits) {
    Pipes pipes = new Pipes(in.source(), out.sink());
    return Peer.open(
        new StreamChannel(new ChannelInfo("test", "", ""), Framing.LINES, limits, pipes),
        service,
        Options.builder().limits(limits).build());
  }

  @Test
  void twoPeersWhoseAnswersCrossGetAllOfThem() throws Exception {
    Limits limits = Limits.builder().outboundBytes(10_000).build();
    CountDownLatch called = new CountDownLatch(1);
    Service service = Service.builder()
        .method("text", call -> {
          called.await(Recorder.SECONDS, TimeUnit.SECONDS);
          return "x".repeat(10_000);
        })
        .build();
    Pipe there = Pipe.open();
    Pipe back = Pipe.open();
    try (Peer one = over(there, back, service, limits);
        Peer other = over(back, there, service, limits)) {
      List<CallFuture<String>> answers = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        answers.add(one.callAsync("text", String.class));
        answers.add(other.callAsync("text", String.class));
      }
      called.countDown();
      for (CallFuture<String> answer : answers) {
        assertThat(answer.get(Recorder.SECONDS, TimeUnit.SECONDS)).hasSize(10_000);
      }
    }
  }

  @Test
  void anAnswerThatCannotBeWrittenAfterTheEndOfInputIsNoOrderlyEnd() throws Exception {
    ChannelInfo info = new ChannelInfo("test", "", "");
    Recorder recorder =
        new Recorder(new StreamChannel(info, Framing.LINES, Limits.DEFAULT, new Gone()));
    recorder.talkative = true;
    recorder.channel.start(recorder);
    assertThat(recorder.inputClosed.await(Recorder.SECONDS, TimeUnit.SECONDS)).isTrue();
    Recorder.send(recorder.channel, "[1]");
    assertThat(recorder.end().orElseThrow()).hasMessageContaining("by design");
  }

  @Test
  void aPeerWithoutAnAddressIsNamedByItsTransport() throws Exception {
    StreamChannel channel = new StreamChannel(
        new ChannelInfo("test", "", ""), Framing.LINES, Limits.DEFAULT, new Gone());
    try (Peer peer = Peer.open(channel, Service.NONE, Options.DEFAULT)) {
      peer.closed().toCompletableFuture().get(Recorder.SECONDS, TimeUnit.SECONDS);
      assertThatThrownBy(() -> peer.call("m", int.class))
          .isInstanceOf(DisconnectedException.class)
          .hasMessage("the connection to test is closed");
    }
  }

  @Test
  void anEndBeforeTheStartIsReportedAfterIt() throws Exception {
    IOException cause = new IOException("by design");
    StreamChannel channel = new StreamChannel(
        new ChannelInfo("test", "", ""), Framing.LINES, Limits.DEFAULT, new Gone());
    channel.abort(cause);
    assertThat(Recorder.on(channel).end()).contains(cause);
  }
}
