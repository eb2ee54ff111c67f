package dev.repartee;

import dev.repartee.access.Principal;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ForwardingChannel;

/** A channel whose other side was authenticated. */
final class KnownChannel extends ForwardingChannel {
  private final Principal principal;

  /** The last attributes; the channel underneath usually has the same ones for each message. */
  private volatile Known last;

  private record Known(Attributes of, Attributes attributes) {}

  KnownChannel(Channel channel, Principal principal) {
    super(channel);
    this.principal = principal;
    this.last = known(channel.attributes());
  }

  private Known known(Attributes of) {
    return new Known(of, of.with(Principal.KEY, principal));
  }

  @Override
  public Attributes attributes() {
    Attributes of = super.attributes();
    Known known = last;
    if (known.of != of) {
      known = known(of);
      last = known;
    }
    return known.attributes;
  }
}
