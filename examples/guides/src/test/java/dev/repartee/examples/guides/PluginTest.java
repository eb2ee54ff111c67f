package dev.repartee.examples.guides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Peer;
import dev.repartee.examples.guides.PluginHost.Converter;
import dev.repartee.examples.guides.PluginHost.Host;
import dev.repartee.json.Json;
import dev.repartee.reconnect.ReconnectListener;
import dev.repartee.transport.DisconnectedException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the host and the plugin of docs/plugins.md. */
@Timeout(60)
class PluginTest {
  private static final List<String> PLUGIN = Programs.java(Plugin.class);
  private static final Host HOST = new Host(Map.of("language", "de"));

  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

  @Test
  void thePluginIsCalledAndCallsTheHost() throws Exception {
    assertThat(PluginHost.use(Json.of(PLUGIN).toString(), HOST, events::add)).isEqualTo("EIN MASS");
    assertThat(events.poll(30, TimeUnit.SECONDS)).isEqualTo("a plugin has ended");
  }

  @Test
  void aCrashFailsTheCallAndIsToldWithTheExitCode(@TempDir Path folder) throws Exception {
    try (Peer plugin = PluginHost.start(PLUGIN, folder, HOST, events::add)) {
      Converter converter = plugin.proxy(Converter.class);
      assertThat(converter.convert("a")).isEqualTo("A");
      assertThatExceptionOfType(DisconnectedException.class)
          .isThrownBy(converter::crash)
          .withMessageContaining("exit code 7")
          .withMessageContaining("crash");
      assertThat(events.poll(30, TimeUnit.SECONDS)).contains("exit code 7");
      assertThat(plugin.isOpen()).isFalse();
    }
  }

  @Test
  void aPluginThatCrashesIsStartedAgain() throws Exception {
    ReconnectListener listener = new ReconnectListener() {
      @Override
      public void disconnected(@Nullable Throwable cause) {
        events.add(String.valueOf(cause));
      }
    };
    try (Converter plugin = PluginHost.restarted(Json.of(PLUGIN).toString(), HOST, listener)) {
      assertThat(plugin.convert("ein maß")).isEqualTo("EIN MASS");
      for (int i = 0; i < 2; i++) {
        assertThatExceptionOfType(DisconnectedException.class)
            .isThrownBy(plugin::crash)
            .withMessageContaining("ended with exit code 7; its last output on standard error:")
            .withMessageContaining("no memory left to convert")
            .withMessageContaining("it is not declared idempotent, so it was not sent again");
        assertThat(events.poll(30, TimeUnit.SECONDS)).contains("exit code 7");
        assertThat(plugin.convert("ein maß")).isEqualTo("EIN MASS");
      }
    }
  }
}
