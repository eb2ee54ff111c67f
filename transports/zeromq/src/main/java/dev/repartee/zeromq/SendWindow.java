package dev.repartee.zeromq;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The bytes of the messages that wait until ZeroMQ accepts them, over one connection. Messages
 * above the limit must wait. Thread-safe.
 */
final class SendWindow {
  private final long max;

  /** Guards the fields below. A monitor cannot be used: its wait cannot ignore interrupts. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition room = lock.newCondition();
  private long waiting;
  private boolean closed;

  /** Creates an empty window; a message may start to wait while others have up to {@code max} bytes. */
  SendWindow(long max) {
    this.max = max;
  }

  /** Waits for room and adds a message. Returns false if the window is closed. */
  boolean await(long size) {
    lock.lock();
    try {
      while (!closed && waiting > max) {
        room.awaitUninterruptibly();
      }
      waiting += size;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Adds a message if there is room and the window is open. Returns whether it did. */
  boolean offer(long size) {
    lock.lock();
    try {
      boolean hasRoom = !closed && waiting <= max;
      if (hasRoom) {
        waiting += size;
      }
      return hasRoom;
    } finally {
      lock.unlock();
    }
  }

  /** Removes a message that ZeroMQ has accepted. */
  void remove(long size) {
    lock.lock();
    try {
      waiting -= size;
      room.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Closes the window: all waiting threads return. */
  void close() {
    lock.lock();
    try {
      closed = true;
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
