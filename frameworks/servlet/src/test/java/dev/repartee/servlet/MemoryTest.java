package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.examples.ExampleMethods;
import dev.repartee.testkit.memory.HeldWatch;
import jakarta.servlet.ServletRegistration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The charge of requests and WebSockets to the memory budget of the process. */
@Isolated("other tests change the budget, too")
@Timeout(180)
class MemoryTest {
  private static final int LARGE = 1 << 20;

  private final MemoryBudget held = MemoryBudget.ofProcess();

  @BeforeEach
  void nothingIsHeld() throws InterruptedException {
    HeldWatch.await(held, 0, 0); // connections of earlier tests may just end
  }

  private static Container start(Container.Kind kind) throws Exception {
    return kind.start(Container.Settings.DEFAULT, context -> {
      ServletRegistration.Dynamic rpc = context.addServlet(
          "rpc", new RpcServlet(new ExampleMethods().service(), Options.DEFAULT));
      rpc.addMapping("/*");
      rpc.setAsyncSupported(true);
    });
  }

  @ParameterizedTest
  @EnumSource
  void aMessageIsChargedUntilItsConnectionEnds(Container.Kind kind) throws Exception {
    try (Container container = start(kind)) {
      try (RawConnection raw = new RawConnection("http://127.0.0.1:" + container.port())) {
        byte[] frame = RawConnection.frame(0x81, " ".repeat(LARGE).getBytes(UTF_8));
        frame[0] = 1; // not the last frame of the message
        raw.upgrade().send(frame);
        HeldWatch.await(held, LARGE, Long.MAX_VALUE);
      }
      nothingIsHeld();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRequestIsRefusedWhileTheBudgetIsUsedUp(Container.Kind kind) throws Exception {
    MemoryBudget.Share others = held.share(0);
    String request = post("""
        {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""" + " ".repeat(100_000));
    try (Container container = start(kind)) {
      String uri = "http://127.0.0.1:" + container.port();
      assertThat(others.hold(held.max())).isTrue();
      try (RawConnection raw = new RawConnection(uri)) {
        assertThat(raw.send(request).answer())
            .startsWith("HTTP/1.1 503")
            .contains("the limit heldBytes");
      }
      others.hold(0);
      try (RawConnection raw = new RawConnection(uri)) {
        assertThat(raw.send(request).answer()).contains("\"result\":19");
      }
      nothingIsHeld();
    } finally {
      others.hold(0);
    }
  }
}
