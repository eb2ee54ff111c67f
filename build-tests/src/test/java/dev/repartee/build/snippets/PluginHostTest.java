package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.reconnect.ReconnectListener;
import dev.repartee.transport.DisconnectedException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the code of docs/plugins.md, with a plugin in a process of its own. */
@Timeout(60)
class PluginHostTest {
  private static final String COMMAND = Json.of(List.of(
          System.getProperty("java.home") + "/bin/java",
          "-cp",
          System.getProperty("java.class.path"),
          "dev.repartee.build.snippets.WordsPlugin"))
      .toString();

  @Test
  void aPluginThatCrashesIsStartedAgain() throws Exception {
    BlockingQueue<String> crashes = new LinkedBlockingQueue<>();
    ReconnectListener listener = new ReconnectListener() {
      @Override
      public void disconnected(@Nullable Throwable cause) {
        crashes.add(String.valueOf(cause));
      }
    };
    try (PluginHost.Words words = PluginHost.start(COMMAND, listener)) {
      assertThat(words.count("one two  three")).isEqualTo(3);
      assertThat(words.greet()).isEqualTo("Hello, Ada!");
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(words::divide)
            .isInstanceOf(DisconnectedException.class)
            .hasMessageContaining("ended with exit code 3; its last output on standard error:")
            .hasMessageContaining("no memory left to divide words")
            .hasMessageContaining("it is not declared idempotent, so it was not sent again");
        assertThat(crashes.poll(20, TimeUnit.SECONDS)).contains("exit code 3");
        assertThat(words.count("of another process")).isEqualTo(3);
        assertThat(words.greet()).isEqualTo("Hello, Ada!");
      }
    }
  }
}
