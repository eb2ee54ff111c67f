package dev.repartee.servlet;

class JettyServletTest extends ServletContract {
  @Override
  Container.Kind kind() {
    return Container.Kind.JETTY;
  }
}
