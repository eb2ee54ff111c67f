package dev.repartee.conformance;

import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A connection over the channel of any transport. It sends only messages: the transport frames. */
final class ChannelWire implements Wire {
  private final Channel channel;
  private final Inbox inbox = new Inbox();

  ChannelWire(Channel channel) {
    this.channel = channel;
    channel.start(inbox);
  }

  @Override
  public @Nullable String refusal(Say what) {
    if (!(what instanceof Say.Message message)) {
      return "only messages can be sent over " + channel.info().transport();
    }
    return Carriage.refusal(channel.info().framing(), message.text());
  }

  @Override
  public void say(Say what) throws IOException {
    try {
      channel.send(((Say.Message) what).text());
    } catch (DisconnectedException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public @Nullable Heard hear(Duration time) throws InterruptedException {
    return inbox.next(time);
  }

  @Override
  public void close() {
    channel.close();
  }
}
