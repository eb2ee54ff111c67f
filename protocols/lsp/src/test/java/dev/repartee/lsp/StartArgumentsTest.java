package dev.repartee.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class StartArgumentsTest {
  private static StartArguments parse(String... args) {
    return StartArguments.parse(args);
  }

  @Test
  void theArgumentsOfLanguageClientsNameTheConnection() {
    assertThat(parse()).isEqualTo(new StartArguments("stdio:", 0));
    assertThat(parse("--stdio", "--clientProcessId=42"))
        .isEqualTo(new StartArguments("stdio:", 42));
    assertThat(parse("--socket=7000")).isEqualTo(new StartArguments("tcp://127.0.0.1:7000", 0));
    assertThat(parse("--port", "7000")).isEqualTo(new StartArguments("tcp://127.0.0.1:7000", 0));
    assertThat(parse("--pipe=/tmp/a#b=c")).isEqualTo(new StartArguments("unix:/tmp/a#b=c", 0));
  }

  @Test
  void otherArgumentsAreRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> parse("--node-ipc"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("unknown argument '--node-ipc'; known are --stdio, --socket=PORT, --port=PORT,"
            + " --pipe=PATH and --clientProcessId=PID");
    assertThatThrownBy(() -> parse("--socket=70000"))
        .hasMessage("--socket needs a number from 1 to 65535, not '70000'");
    assertThatThrownBy(() -> parse("--pipe")).hasMessageContaining("--pipe needs a value");
    assertThatThrownBy(() -> parse("--stdio", "--port=1"))
        .hasMessage("two ways to the client: stdio: and tcp://127.0.0.1:1");
  }
}
