package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.jivesoftware.smack.XMPPException.StreamErrorException;
import org.jivesoftware.smack.packet.StreamError;
import org.jivesoftware.smack.packet.StreamError.Condition;
import org.junit.jupiter.api.Test;

/** The pauses before another attempt to connect. */
class SessionUserTest {
  private static final Duration USUAL = Duration.ofMillis(100);

  private final SessionUser user = new SessionUser() {
    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public void received(Session session, Element stanza) {}

    @Override
    public void ponged(Session session, long ping) {}

    @Override
    public void unhandled(Exception cause) {}

    @Override
    public void opened(Session session) {}

    @Override
    public void lost(IOException cause) {}

    @Override
    public void failed(IOException cause) {}
  };

  private Duration pause(Condition condition) {
    StreamError error = new StreamError(condition, null, null, null);
    return user.pause(new IOException("lost", new StreamErrorException(error)), USUAL);
  }

  @Test
  void anAddressIsLeftToAnotherLoginForAMinute() {
    assertThat(pause(Condition.conflict)).isEqualTo(Duration.ofMinutes(1));
    assertThat(pause(Condition.system_shutdown)).isEqualTo(USUAL);
  }
}
