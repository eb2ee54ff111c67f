package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Lane;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.dap.DapServer;
import org.junit.jupiter.api.Test;

/** Runs the code of protocols/dap/README.md. */
class DapTourTest {
  @Test
  void anAdapterIsDrivenByAClient() throws Exception {
    try (Server server = DapServer.listen(
        "tcp://127.0.0.1:0", CountdownAdapter::new, DapServer.options().build())) {
      String adapter = server.endpoint().bare().toString();

      assertThat(DapTour.countAfterOneStep(adapter, new DapTour.Editor())).isEqualTo("2");
    }
  }

  @Test
  void aMethodThatNeedsTheCallIsAnnotatedItself() {
    assertThat(Service.of(new DapTour.Waiting()).find("evaluate").lane(false))
        .isEqualTo(Lane.CONCURRENT);
    assertThat(DapTour.noSuchFile("/a")).hasMessageContaining("there is no file /a");
  }
}
