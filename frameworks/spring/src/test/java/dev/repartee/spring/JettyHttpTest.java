package dev.repartee.spring;

import org.springframework.test.context.TestPropertySource;

/** The same on Jetty. */
@TestPropertySource(properties = Containers.JETTY)
class JettyHttpTest extends SpringHttpTest {
  @Override
  String container() {
    return "Jetty";
  }
}
