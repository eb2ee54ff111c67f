package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.stream.Streamed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the code of docs/reconnect.md. */
@Timeout(60)
class ReconnectTourTest {
  /** For sockets: unlike a port, a path is free again when its server has closed. */
  @TempDir
  Path folder;

  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

  private final Service shop = Service.builder()
      .method("login", call -> events.add("login"))
      .method("price", call -> 2.5)
      .method("order", call -> null)
      .method("subscribe", call -> {
        call.peer().notify("news", "hello");
        return true;
      })
      .build();

  @Test
  void theShopIsCalledAfterEachOfItsStarts() throws Exception {
    Server server = Repartee.listen("unix:" + folder.resolve("s"), shop);
    String uri = server.endpoint().toString();
    try (Peer peer = ReconnectTour.connect(uri, "t0ken")) {
      for (int i = 0; i < 3; i++) {
        assertThat(ReconnectTour.call(peer)).isEqualTo(2.5);
        assertThat(events).hasSize(i + 1);
        server.close();
        server = Repartee.listen(uri, shop);
      }
    } finally {
      server.close();
    }
  }

  /** A service with a subscription. */
  public static final class News {
    @Streamed(subscription = "news", unsubscribe = "unsubscribe")
    public Stream<String> subscribe() {
      return Stream.of("hello");
    }
  }

  @Test
  void aStreamBeginsAgainOnEachConnection() throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    Server server = Repartee.listen("unix:" + folder.resolve("s"), Service.of(new News()));
    String uri = server.endpoint().toString();
    try (Peer peer = ReconnectTour.watch(uri, heard::add)) {
      for (int i = 0; i < 3; i++) {
        assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("hello");
        server.close();
        server = Repartee.listen(uri, Service.of(new News()));
      }
      assertThat(peer.isOpen()).isTrue();
    } finally {
      server.close();
    }
  }

  @Test
  void aSubscriptionBeginsAgainOnEachConnection() throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    AtomicReference<String> status = new AtomicReference<>("");
    Service news = Service.builder()
        .method("news", String[].class, Boolean.class, (params, call) -> heard.add(params[0]))
        .build();
    Server server = Repartee.listen("unix:" + folder.resolve("s"), shop);
    String uri = server.endpoint().toString();
    try (Peer peer = ReconnectTour.subscriber(uri, news, status)) {
      for (int i = 0; i < 3; i++) {
        assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("hello");
        server.close();
        server = Repartee.listen(uri, shop);
      }
      assertThat(peer.isOpen()).isTrue();
    } finally {
      server.close();
    }
    assertThat(status.get()).containsAnyOf("online", "offline");
  }

  @Test
  void aProcessIsStartedInItsFolder() throws Exception {
    Files.writeString(
        folder.resolve("prices.sh"),
        "read line; printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":2.5}\\n'; exit 1\n");
    try (Peer peer = ReconnectTour.process(folder)) {
      ReconnectTour.Prices prices = peer.proxy(ReconnectTour.Prices.class);
      assertThat(prices.price("tea")).isEqualTo(2.5);
      assertThat(prices.price("tea")).as("of the next process").isEqualTo(2.5);
    }
  }
}
