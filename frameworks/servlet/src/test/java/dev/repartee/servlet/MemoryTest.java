package dev.repartee.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Options;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.examples.ExampleMethods;
import dev.repartee.testkit.memory.HeldWatch;
import jakarta.servlet.ServletRegistration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The charge of WebSockets to the memory budget of the process. */
@Isolated("other tests change the budget, too")
@Timeout(60)
class MemoryTest {
  private static final int LARGE = 1 << 20;

  private static Container start(Container.Kind kind) throws Exception {
    return kind.start("", context -> {
      ServletRegistration.Dynamic rpc = context.addServlet(
          "rpc", new RpcServlet(new ExampleMethods().service(), Options.DEFAULT));
      rpc.addMapping("/*");
      rpc.setAsyncSupported(true);
    });
  }

  @ParameterizedTest
  @EnumSource
  void aMessageIsChargedUntilItsConnectionEnds(Container.Kind kind) throws Exception {
    long before = MemoryBudget.ofProcess().held();
    try (Container container = start(kind)) {
      try (RawConnection raw = new RawConnection("http://127.0.0.1:" + container.port())) {
        byte[] frame = RawConnection.frame(0x81, " ".repeat(LARGE).getBytes(UTF_8));
        frame[0] = 1; // not the last frame of the message
        raw.upgrade().send(frame);
        HeldWatch.await(MemoryBudget.ofProcess(), before + LARGE, Long.MAX_VALUE);
      }
      HeldWatch.await(MemoryBudget.ofProcess(), 0, before);
    }
  }
}
