package dev.repartee.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * The epoll of an event loop, without a defect of Netty (4.2.20 still has it, pull request 16689
 * has brought it): a socket that awaits no event is removed from epoll, and cannot be added again.
 * This happens after the end of the client's output. Then a response that does not fit into the
 * buffer of the system would be lost.
 *
 * <p>Here the socket stays in epoll, edge-triggered: the end of both directions is reported once,
 * and does not keep the loop busy.
 */
final class EpollLoop implements IoHandler {
  private final IoHandler epoll;

  private EpollLoop(IoHandler epoll) {
    this.epoll = epoll;
  }

  static IoHandlerFactory factory() {
    IoHandlerFactory epoll = EpollIoHandler.newFactory();
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor executor) {
        return new EpollLoop(epoll.newHandler(executor));
      }

      @Override
      public boolean isChangingThreadSupported() {
        return epoll.isChangingThreadSupported();
      }
    };
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    return new Registration(epoll.register(handle));
  }

  @Override
  public void initialize() {
    epoll.initialize();
  }

  @Override
  public int run(IoHandlerContext context) {
    return epoll.run(context);
  }

  @Override
  public void wakeup() {
    epoll.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> type) {
    return epoll.isCompatible(type);
  }

  @Override
  public void prepareToDestroy() {
    epoll.prepareToDestroy();
  }

  @Override
  public void destroy() {
    epoll.destroy();
  }

  /** The registration of a socket. Runs on the event loop. */
  private static final class Registration implements IoRegistration {
    private final IoRegistration registration;

    /** Whether the socket is in epoll. A socket that is not connected yet must not be there. */
    private boolean added;

    Registration(IoRegistration registration) {
      this.registration = registration;
    }

    @Override
    public long submit(IoOps ops) {
      boolean none = ops.equals(EpollIoOps.NONE);
      added |= !none;
      return registration.submit(none && added ? EpollIoOps.EPOLLET : ops);
    }

    @Override
    public <T> T attachment() {
      return registration.attachment();
    }

    @Override
    public boolean isValid() {
      return registration.isValid();
    }

    @Override
    public boolean cancel() {
      return registration.cancel();
    }
  }
}
