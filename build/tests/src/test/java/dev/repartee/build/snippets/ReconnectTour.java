package dev.repartee.build.snippets;

import dev.repartee.Peer;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.ReconnectListener;
import dev.repartee.reconnect.Reconnecting;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.Channel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The code of docs/reconnect.md. */
final class ReconnectTour {
  private ReconnectTour() {}

  interface Prices {
    @Rpc(idempotent = true)
    double price(String item);

    void order(String item, int count);
  }

  record Status(AtomicReference<String> text) implements ReconnectListener {
    @Override
    public void connected(Peer connection, int attempt) {
      text.set("online");
    }

    @Override
    public void disconnected(@Nullable Throwable cause) {
      text.set("offline");
    }

    @Override
    public void retrying(int attempt, Duration delay, Throwable cause) {
      text.set(
          "offline, attempt " + attempt + " in " + delay.toSeconds() + " s: " + cause.getMessage());
    }

    @Override
    public void gaveUp(Throwable cause) {
      text.set("offline for good");
    }
  }

  static Peer connect(String uri, String token) throws IOException {
    return Reconnecting.to(uri)
        .onConnected(connection -> connection.call("login", Boolean.class, token))
        .idempotent("currencies", "stock")
        .connect();
  }

  static double call(Peer peer) {
    Prices prices = peer.proxy(Prices.class);
    double price = prices.price("tea");
    prices.order("tea", 3);
    return price;
  }

  static Peer watch(String uri, Consumer<String> news) throws IOException {
    Streaming form = Streaming.subscription("news", "unsubscribe");
    return Reconnecting.to(uri)
        .onConnected(connection -> {
          connection.request("subscribe").streaming(form).stream(String.class).forEach(news);
        })
        .connect();
  }

  static Peer subscriber(String uri, Service news, AtomicReference<String> status) {
    Backoff backoff = Backoff.DEFAULT
        .initial(Duration.ofMillis(50))
        .max(Duration.ofSeconds(10))
        .giveUpAfter(Duration.ofMinutes(30));
    return Reconnecting.to(uri)
        .service(news) // its methods get the notifications
        .onConnectedAsync(connection -> connection.callAsync("subscribe", Boolean.class, "news"))
        .backoff(backoff)
        .listener(new Status(status))
        .connectInBackground();
  }

  static Peer process(Path folder) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("sh", "prices.sh").directory(folder.toFile());
    return Reconnecting.to(() -> Channel.over(builder, Framing.LINES, Limits.DEFAULT))
        .connect();
  }
}
