package dev.repartee.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Service;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LifecycleTest {
  @Test
  void aClientThatIsInitializedAgainAndAgainIsWatchedOnce() throws Exception {
    Lifecycle lifecycle = new Lifecycle(new Object(), Service.builder().build(), true);
    Process client = new ProcessBuilder("sleep", "60").start();
    try {
      assertThat(lifecycle.watch(client.pid())).isTrue();
      assertThat(lifecycle.watch(client.pid())).isFalse();
    } finally {
      client.destroyForcibly();
    }
    assertThat(lifecycle.exitCode().get(30, TimeUnit.SECONDS)).isOne();
  }
}
