package dev.repartee.transport.http;

import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.Transport;

/** Forwards to an acceptor that knows nothing of HTTP. */
record ForwardingAcceptor(Transport.Acceptor acceptor) implements HttpAcceptor {
  @Override
  public void accept(Channel channel) {
    acceptor.accept(channel);
  }

  @Override
  public FrameService responder() {
    return acceptor.responder();
  }

  @Override
  public boolean takesConnections() {
    return acceptor.takesConnections();
  }

  @Override
  public void refused(ChannelInfo channel, String reason) {
    acceptor.refused(channel, reason);
  }
}
