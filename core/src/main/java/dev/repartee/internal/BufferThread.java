package dev.repartee.internal;

import org.jspecify.annotations.Nullable;

/** A daemon thread with a place for buffers that are reused from one piece of work to the next. */
public abstract class BufferThread extends Thread {
  /** Belongs to the code that runs on this thread, and is used by this thread only. */
  public @Nullable Object buffers;

  /** Creates a daemon thread with that name. */
  @SuppressWarnings("this-escape") // setDaemon is final
  protected BufferThread(String name) {
    super(name);
    setDaemon(true);
  }
}
