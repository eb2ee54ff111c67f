package dev.repartee.servlet;

class TomcatServletTest extends ServletContract {
  @Override
  Container.Kind kind() {
    return Container.Kind.TOMCAT;
  }
}
