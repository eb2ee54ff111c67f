package dev.repartee.ssh;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.sshd.client.ClientFactoryManager;
import org.apache.sshd.client.session.ClientSessionImpl;
import org.apache.sshd.common.io.IoSession;
import org.apache.sshd.common.io.IoWriteFuture;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.server.ServerFactoryManager;
import org.apache.sshd.server.session.ServerSessionImpl;

/**
 * Creates sessions that end if too many of their packets wait to be sent. The library answers each
 * request of a peer, even before the login, and its queue is unbounded: a peer could cause answers
 * and never read them.
 */
final class Sessions {
  /**
   * The maximum number of waiting packets of a session. Each channel has only a few at a time,
   * since it sends the next packet after the last was sent.
   */
  static final int UNSENT = 4_096;

  private Sessions() {}

  static org.apache.sshd.server.session.SessionFactory ofServer(ServerFactoryManager server) {
    return new org.apache.sshd.server.session.SessionFactory(server) {
      @Override
      protected ServerSessionImpl doCreateSession(IoSession connection) throws Exception {
        return new OfServer(getServer(), connection);
      }
    };
  }

  static org.apache.sshd.client.session.SessionFactory ofClient(ClientFactoryManager client) {
    return new org.apache.sshd.client.session.SessionFactory(client) {
      @Override
      protected ClientSessionImpl doCreateSession(IoSession connection) throws Exception {
        return new OfClient(getClient(), connection);
      }
    };
  }

  private static final class OfServer extends ServerSessionImpl {
    private final AtomicInteger unsent = new AtomicInteger();

    OfServer(ServerFactoryManager server, IoSession connection) throws Exception {
      super(server, connection);
    }

    @Override
    public IoWriteFuture writePacket(Buffer packet) throws IOException {
      if (unsent.incrementAndGet() > UNSENT) {
        close(true);
      }
      return counted(super.writePacket(packet), unsent);
    }
  }

  private static final class OfClient extends ClientSessionImpl {
    private final AtomicInteger unsent = new AtomicInteger();

    OfClient(ClientFactoryManager client, IoSession connection) throws Exception {
      super(client, connection);
    }

    @Override
    public IoWriteFuture writePacket(Buffer packet) throws IOException {
      if (unsent.incrementAndGet() > UNSENT) {
        close(true);
      }
      return counted(super.writePacket(packet), unsent);
    }
  }

  private static IoWriteFuture counted(IoWriteFuture writing, AtomicInteger unsent) {
    return writing.addListener(written -> unsent.decrementAndGet());
  }
}
