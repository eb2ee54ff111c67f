package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Repartee;
import dev.repartee.Server;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ConformanceTestsTest {
  @Test
  void theServerIsClosedWhenTheTestsAreMade() throws Exception {
    Server server = Repartee.listen("tcp://127.0.0.1:0", Demo.SERVICE);
    String uri = server.endpoint().toString();
    assertThat(ConformanceTests.of(server)).isNotEmpty();
    assertThatThrownBy(() -> Repartee.connect(uri)).isInstanceOf(IOException.class);
  }
}
