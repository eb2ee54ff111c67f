package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.terminal.Exit;
import org.junit.jupiter.api.Test;

/** Commands over ZeroMQ. */
class ZeroMqTest {
  @Test
  void aServiceIsServedAndCalled() throws Exception {
    try (Child server = Child.start("serve", "--listen", "zmq+tcp://127.0.0.1:0")) {
      assertThat(Child.run("call", server.listening(), "sum", "1", "2", "3"))
          .isEqualTo(new Child.Outcome(0, "6\n", ""));
    }
  }

  @Test
  void aServiceThatHasEndedIsNamed() throws Exception {
    try (DeafPort port = new DeafPort()) {
      Captured captured = new Captured("");
      String uri = "zmq+tcp://127.0.0.1:" + port.number();
      assertThat(Main.run(captured.stdio(), "call", uri, "sum", "1"))
          .isEqualTo(Exit.CANNOT_CONNECT);
      assertThat(captured.err())
          .startsWith("repartee: cannot connect to " + uri + ": nobody listens on 127.0.0.1:")
          .hasLineCount(1);
    }
  }
}
