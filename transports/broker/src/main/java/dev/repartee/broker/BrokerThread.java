package dev.repartee.broker;

import dev.repartee.transport.ReadingThread;
import java.util.concurrent.ThreadFactory;

/**
 * A daemon thread that delivers messages of a broker. Code on this thread must not wait for an
 * answer.
 */
public final class BrokerThread extends Thread implements ReadingThread {
  /** Creates a thread; see {@link Thread#Thread(Runnable, String)}. */
  public BrokerThread(Runnable task, String name) {
    super(task, name);
    setDaemon(true);
  }

  /** Returns a factory of such threads, all with this name. */
  public static ThreadFactory factory(String name) {
    return task -> new BrokerThread(task, name);
  }
}
