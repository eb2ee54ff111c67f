package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Recorder;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PipeChannelTest {
  @TempDir
  private Path directory;

  private Path in = Path.of("");
  private Path out = Path.of("");

  @BeforeEach
  void makeFifos() throws Exception {
    in = fifo("in");
    out = fifo("out");
  }

  private Path fifo(String name) throws Exception {
    Path path = directory.resolve(name);
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
    return path;
  }

  private static Channel open(Path in, Path out) throws IOException {
    Endpoint endpoint = Endpoint.parse("pipe:" + in + "," + out);
    return Transports.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE);
  }

  @Test
  void framesCrossTwoFifosBothWays() throws Exception {
    Recorder one = Recorder.on(open(in, out));
    Recorder two = Recorder.on(open(out, in));
    String large = "[\"" + "x".repeat(300_000) + "\"]";
    for (String text : List.of("[1]", large)) {
      Recorder.send(one.channel, text);
      assertThat(two.next().strip()).isEqualTo(text);
      Recorder.send(two.channel, text);
      assertThat(one.next().strip()).isEqualTo(text);
    }
    one.channel.close();
    assertThat(one.end()).isEmpty();
    assertThat(two.end()).isEmpty();
    two.channel.close();
  }

  @Test
  void closingDoesNotWaitForASideThatNeverCame() throws Exception {
    Recorder lonely = Recorder.on(open(in, out));
    lonely.channel.close();
    assertThat(lonely.end()).isEmpty();
  }

  @Test
  void abortingDoesNotWaitForASideThatNeverCame() throws Exception {
    Recorder lonely = Recorder.on(open(in, out));
    Recorder.send(lonely.channel, "[1]");
    IOException cause = new IOException("by design");
    lonely.channel.abort(cause);
    assertThat(lonely.end()).contains(cause);
  }

  @Test
  void noThreadOfAClosedChannelStays() throws Exception {
    Recorder one = Recorder.on(open(in, out));
    Recorder two = Recorder.on(open(out, in));
    Recorder.send(one.channel, "[1]");
    two.next();
    one.channel.close();
    one.end();
    two.end();
    two.channel.close();
    Recorder lonely = Recorder.on(open(in, out));
    lonely.channel.close();
    lonely.end();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("repartee-pipe-")) {
        thread.join(TimeUnit.SECONDS.toMillis(Recorder.SECONDS));
        assertThat(thread.isAlive()).as(thread.getName()).isFalse();
      }
    }
  }

  @Test
  void aFileThatIsNotAFifoIsRefusedWithTheRemedy() throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    for (Path wrong : List.of(file, directory.resolve("none"))) {
      assertThatThrownBy(() -> open(in, wrong))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("'" + wrong + "' is not a FIFO; make it with: mkfifo " + wrong);
    }
  }

  @Test
  void anAddressNamesTwoFifos() {
    Endpoint endpoint = Endpoint.parse("pipe:" + in);
    assertThatThrownBy(
            () -> Transports.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("pipe:IN,OUT");
  }
}
