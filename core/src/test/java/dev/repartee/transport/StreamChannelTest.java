package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Recorder;
import dev.repartee.Service;
import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
