package dev.repartee.transport;

import dev.repartee.internal.StreamSecurity;
import dev.repartee.internal.StreamSecurity.Handshake;
import dev.repartee.internal.Times;
import dev.repartee.limits.TimeLimits;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An accepted socket until the end of its handshake, which may take {@link
 * dev.repartee.limits.Limits#firstByteTimeout}. Runs on the loop of the socket.
 *
 * <p>A socket whose handshake has failed lingers: its output ends, and its input is discarded until
 * the peer closes it, for a second at most. If it were closed immediately, a reset could destroy
 * the reason that was sent to the peer.
 */
final class OpeningSocket implements Loop.Ready, Loop.Watched {
  private enum State {
    SHAKING,
    LINGERING,
    /** The handshake is done, or the socket is closed. */
    ENDED
  }

  private final ListeningSocket.Link link;
  private final StreamSecurity security;
  private final Consumer<ListeningSocket.Link> opened;
  private final BiConsumer<ChannelInfo, String> refused;
  private final Runnable released;
  private long deadline;
  private State state = State.SHAKING;

  /** Whether another thread runs an expensive step. The socket counts as open until it ends. */
  private boolean busy;

  private @Nullable SelectionKey key;
  private @Nullable Handshake handshake;

  /**
   * Creates the handler of a socket.
   *
   * @param opened receives the encrypted link after the handshake
   * @param refused receives the reason if the peer was refused
   * @param released runs instead of {@code opened}, when the socket is closed and no step runs
   */
  OpeningSocket(
      ListeningSocket.Link link,
      StreamSecurity security,
      Consumer<ListeningSocket.Link> opened,
      BiConsumer<ChannelInfo, String> refused,
      Runnable released) {
    this.link = link;
    this.security = security;
    this.opened = opened;
    this.refused = refused;
    this.released = released;
    this.deadline = now() + Times.nanos(link.mode().limits().firstByteTimeout());
  }

  private long now() {
    return TimeLimits.clock(link.mode().limits()).nanos();
  }

  /** Begins the handshake. */
  void start() {
    onLoop(() -> {
      handshake = security.open(link.socket(), this::stepEnded);
      key = link.loop().register(link.socket(), 0, this);
      link.loop().watch(this);
      proceed();
    });
  }

  /** Called on another thread. */
  private void stepEnded() {
    onLoop(() -> {
      busy = false;
      if (state == State.ENDED) {
        released();
      } else {
        proceed();
      }
    });
  }

  @Override
  public void ready(int operations) throws IOException {
    if (state == State.SHAKING && busy) {
      readAhead();
    } else if (state == State.SHAKING) {
      proceed();
    } else if (state == State.LINGERING && link.socket().read(link.loop().buffer.clear()) < 0) {
      close();
    }
  }

  /**
   * Closes the socket if the peer has left while a step waits or runs, which spares the step. A
   * peer that sends more than the step needs is read once.
   */
  private void readAhead() throws IOException {
    SelectionKey registered = key;
    Handshake shaking = handshake;
    if (shaking != null && registered != null) {
      if (shaking.readAhead()) {
        registered.interestOps(0);
      } else {
        close();
      }
    }
  }

  private void proceed() throws IOException {
    Handshake shaking = handshake;
    SelectionKey registered = key;
    if (shaking == null || registered == null || busy) {
      return;
    }
    int next = shaking.proceed();
    busy = next == Handshake.BUSY;
    registered.interestOps(busy ? SelectionKey.OP_READ : next);
    if (next == Handshake.DONE) {
      state = State.ENDED;
      opened.accept(link.under(shaking.wire()));
    }
  }

  @Override
  public void failed(Throwable cause) {
    SelectionKey registered = key;
    Handshake shaking = handshake;
    if (state != State.SHAKING || registered == null || shaking == null) {
      close();
      return;
    }
    state = State.LINGERING;
    deadline = now() + LoopChannel.LINGER;
    String why = shaking.refusal();
    if (why != null) {
      refused.accept(link.info(), why);
    }
    try {
      link.socket().shutdownOutput();
      registered.interestOps(SelectionKey.OP_READ);
    } catch (IOException | RuntimeException e) {
      close(); // the peer has closed the connection
    }
  }

  private void close() {
    if (state == State.ENDED) {
      return;
    }
    state = State.ENDED;
    try {
      link.socket().close();
    } catch (IOException e) {
      // The socket is closed in any case.
    }
    if (!busy) {
      released();
    }
  }

  private void released() {
    link.loop().left();
    released.run();
  }

  @Override
  public boolean sweep() {
    if (state != State.ENDED && now() - deadline > 0) {
      close();
    }
    return state != State.ENDED;
  }

  private void onLoop(Loop.Step step) {
    link.loop().execute(this, step);
  }
}
