package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The class path of the command, as the launcher builds it. */
class ClassPathTest {
  @Test
  @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
  void epollIsAvailable() throws Exception {
    Class<?> epoll = Class.forName("io.netty.channel.epoll.Epoll");
    assertThat(epoll.getMethod("isAvailable").invoke(null)).isEqualTo(true);
  }
}
