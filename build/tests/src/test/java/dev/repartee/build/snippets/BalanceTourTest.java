package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the code of docs/balance.md. */
@Timeout(120)
class BalanceTourTest {
  /** For sockets: unlike a port, a path is free again when its server has closed. */
  @TempDir
  Path folder;

  private Server server(String name) throws IOException {
    Service service = Service.builder()
        .method("price", call -> 2.5)
        .method("cart", call -> name)
        .method("subscribe", call -> {
          call.peer().notify("news", name);
          return true;
        })
        .build();
    return Repartee.listen("unix:" + folder.resolve(name), service);
  }

  private static String uri(Server server) {
    return server.endpoint().toString();
  }

  @Test
  void eitherServerMayRestart() throws Exception {
    Server one = server("one");
    Server two = server("two");
    try (Peer peer = BalanceTour.connect(uri(one), uri(two))) {
      for (int i = 0; i < 4; i++) {
        one.close();
        assertThat(peer.call("price", double.class)).isEqualTo(2.5);
        one = server("one");
        while (!peer.call("cart", String.class).equals("one")) {
          Thread.onSpinWait();
        }
        two.close();
        assertThat(peer.call("price", double.class)).isEqualTo(2.5);
        two = server("two");
        while (!peer.call("cart", String.class).equals("two")) {
          Thread.onSpinWait();
        }
      }
    } finally {
      one.close();
      two.close();
    }
  }

  @Test
  void theCartOfAUserHasOnePlace() throws Exception {
    try (Server one = server("one");
        Server two = server("two");
        Peer peer = BalanceTour.sticky(List.of(uri(one), uri(two)))) {
      Set<String> available = new HashSet<>();
      for (int i = 0; available.size() < 2; i++) {
        available.add(cart(peer, "user " + i));
      }
      for (String user : List.of("ada", "grace", "edsger")) {
        Set<String> places = new HashSet<>();
        for (int i = 0; i < 10; i++) {
          places.add(cart(peer, user));
        }
        assertThat(places).hasSize(1);
      }
    }
  }

  private static String cart(Peer peer, String user) {
    return peer.request("cart").arg("user", user).call(String.class);
  }

  @Test
  void theListenerKnowsTheAvailableEndpoints() throws Exception {
    Set<String> available = ConcurrentHashMap.newKeySet();
    Server two = server("two");
    try (Server one = server("one");
        Peer peer = BalanceTour.checked(List.of(uri(one), uri(two)), available)) {
      while (available.size() < 2) {
        Thread.onSpinWait();
      }
      two.close();
      while (!available.equals(Set.of(uri(one)))) {
        Thread.onSpinWait();
      }
      assertThat(peer.call("cart", String.class)).isEqualTo("one");
    } finally {
      two.close();
    }
  }

  @Test
  void theNewsOfEachServerArrive() throws Exception {
    CountDownLatch news = new CountDownLatch(2);
    Service client = Service.builder()
        .method("news", call -> {
          news.countDown();
          return null;
        })
        .build();
    try (Server one = server("one");
        Server two = server("two");
        Peer peer = BalanceTour.subscriber(List.of(uri(one), uri(two)), client)) {
      assertThat(news.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(peer.isOpen()).isTrue();
    }
  }
}
