package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.frame;
import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.internal.Threads;
import dev.repartee.testkit.RawConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A container that serves each request on a virtual thread. */
@EnabledForJreRange(min = JRE.JAVA_21)
@ParameterizedClass
@EnumSource(Container.Kind.class)
class VirtualThreadsTest extends ServletFixture {
  /** More than the threads that a container has by default, 200. */
  private static final int MANY = 220;

  @BeforeEach
  void use() {
    settings = new Container.Settings("", Threads.perTask("container"), null);
  }

  @Test
  void callsEventsAndWebSocketsAreServed() throws Exception {
    try (RawConnection raw = serve()) {
      assertThat(raw.send(post(call("context", "[]"), "x-user: ann")).answer())
          .endsWith(result("\"ann\""));
      raw.send(post(call("countdown", "[2]"), EVENTS)).head();
      assertThat(raw.event()).contains("\"value\":2}");
      assertThat(raw.event()).contains("\"value\":1}");
      assertThat(raw.event()).contains("liftoff");
      assertThat(raw.event()).isEmpty();
      assertThat(raw.upgrade().send(frame(0x81, SUBTRACT.getBytes(UTF_8))).message())
          .isEqualTo(result("19"));
    }
  }

  @Test
  void moreCallsWaitThanAContainerHasThreads() throws Exception {
    CountDownLatch all = new CountDownLatch(MANY);
    Service service = Service.builder()
        .method("meet", call -> {
          all.countDown();
          all.await();
          return Thread.currentThread().toString();
        })
        .build();
    start(new RpcServlet(service, Options.DEFAULT));
    List<RawConnection> clients = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        clients.add(raw().send(post(call("meet", "[]"))));
      }
      for (RawConnection client : clients) {
        assertThat(client.answer()).contains("\"result\":\"VirtualThread");
      }
    } finally {
      for (RawConnection client : clients) {
        client.close();
      }
    }
  }
}
