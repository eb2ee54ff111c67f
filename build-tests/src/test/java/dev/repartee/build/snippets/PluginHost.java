package dev.repartee.build.snippets;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.ReconnectListener;
import dev.repartee.reconnect.Reconnecting;
import java.io.IOException;
import java.time.Duration;

/** The host of docs/plugins.md. */
final class PluginHost {
  private PluginHost() {}

  interface Words extends AutoCloseable {
    @Rpc(idempotent = true)
    int count(String text);

    String greet();

    void divide();

    @Override
    void close(); // ends the plugin
  }

  static Words start(String command, ReconnectListener listener) throws IOException {
    Service host = Service.builder().method("user", call -> "Ada").build();
    Options options = Options.builder()
        .limits(limits -> limits.callTimeout(Duration.ofSeconds(20)))
        .build();
    Peer plugin = Reconnecting.to("exec:" + command + "#stderr=log&env=PLUGIN_API=1")
        .service(host)
        .options(options)
        .backoff(Backoff.DEFAULT.attempts(10))
        .listener(listener)
        .connect();
    return plugin.proxy(Words.class);
  }
}
