package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.DisconnectedException;
import dev.repartee.Json;
import dev.repartee.ProtocolException;
import dev.repartee.RpcError;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CallCommandTest {
  private static Failure failure(RuntimeException cause, String violation) {
    CommandLine line = CallCommand.line(new Captured("").stdio());
    line.parseArgs("tcp://h:1", "m");
    CallCommand command = line.getCommand();
    return command.failure(cause, violation);
  }

  @Test
  void aLostConnectionIsFour() {
    Failure failure = failure(new DisconnectedException("the peer went away", null), null);
    assertThat(failure.exit()).isEqualTo(4);
    assertThat(failure.sentence()).contains("tcp://h:1", "'m'", "the peer went away");
  }

  @Test
  void aBrokenProtocolIsFive() {
    Failure failure = failure(new ProtocolException("neither result nor error"), null);
    assertThat(failure.exit()).isEqualTo(5);
    assertThat(failure.sentence()).contains("tcp://h:1", "neither result nor error");
  }

  @Test
  void aConnectionLostOverABrokenProtocolIsFive() {
    ProtocolException cause = new ProtocolException("no Content-Length");
    assertThat(failure(new DisconnectedException("closed", cause), null).exit()).isEqualTo(5);
  }

  @Test
  void nonsenseBeforeTheEndExplainsTheEnd() {
    Failure failure = failure(new DisconnectedException("closed", null), "SSH-2.0 is not JSON");
    assertThat(failure.exit()).isEqualTo(5);
    assertThat(failure.sentence()).contains("SSH-2.0 is not JSON");
  }

  @Test
  void anErrorObjectKeepsItsDataAsItCame() {
    RpcError error = new RpcError(-32602, "Invalid \"params\"", Json.parse("{\"n\":1.10}"));
    assertThat(CallCommand.error(error))
        .hasToString(
            "{\"code\":-32602,\"message\":\"Invalid \\\"params\\\"\",\"data\":{\"n\":1.10}}");
  }

  @Test
  void anErrorObjectWithoutDataHasNone() {
    assertThat(CallCommand.error(new RpcError(-32601, "Method not found")))
        .hasToString("{\"code\":-32601,\"message\":\"Method not found\"}");
  }
}
