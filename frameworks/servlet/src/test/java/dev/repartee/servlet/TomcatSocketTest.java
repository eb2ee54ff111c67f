package dev.repartee.servlet;

import dev.repartee.testkit.contract.ChannelContract;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;

class TomcatSocketTest extends ChannelContract {
  @Override
  protected Transport transport() {
    return new ContainerTransport(Container.Kind.TOMCAT);
  }

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("ws://127.0.0.1:0/");
  }
}
