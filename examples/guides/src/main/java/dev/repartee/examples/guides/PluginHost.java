package dev.repartee.examples.guides;

import dev.repartee.*;
import dev.repartee.framing.Framing;
import dev.repartee.reconnect.*;
import dev.repartee.transport.Channel;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

public final class PluginHost {
  private PluginHost() {}

  /** The methods of a plugin. */
  interface Converter extends AutoCloseable {
    @Rpc(idempotent = true)
    String convert(String text);

    void crash();

    @Override
    void close(); // ends the plugin
  }

  /** The methods that the host offers to its plugins. */
  record Host(Map<String, String> settings) {
    @Rpc
    public @Nullable String setting(String name) {
      return settings.get(name);
    }
  }

  static Options options(Consumer<String> events) {
    return Options.builder()
        .limits(limits -> limits.callTimeout(Duration.ofSeconds(10)).frameBytes(1 << 20))
        .listener(new Listener() {
          @Override
          public void disconnected(Peer plugin, @Nullable Throwable cause) {
            events.accept(cause == null ? "a plugin has ended" : cause.getMessage());
          }
        })
        .build();
  }

  static String use(String command, Host host, Consumer<String> events) throws IOException {
    try (Peer plugin = Repartee.connect("exec:" + command, Service.of(host), options(events))) {
      return plugin.proxy(Converter.class).convert("ein maß");
    }
  }

  static Converter restarted(String command, Host host, ReconnectListener listener)
      throws IOException {
    return Reconnecting.to("exec:" + command + "#stderr=log&env=PLUGIN_API=1")
        .service(Service.of(host))
        .backoff(Backoff.DEFAULT.attempts(10))
        .listener(listener)
        .connect()
        .proxy(Converter.class);
  }

  static Peer start(List<String> command, Path folder, Host host, Consumer<String> events)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectError(Redirect.appendTo(folder.resolve("plugin.log").toFile()));
    builder.environment().keySet().retainAll(List.of("PATH", "LANG"));
    Options options = options(events);
    Channel channel = Channel.over(builder.start(), Framing.LINES, options.limits());
    return Peer.open(channel, Service.of(host), options);
  }
}
