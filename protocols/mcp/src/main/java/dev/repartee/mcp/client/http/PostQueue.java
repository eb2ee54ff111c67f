package dev.repartee.mcp.client.http;

import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.QueuedBytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The POSTs of one channel. A bounded number of POSTs is under way; the others wait in order. Calls
 * use other places than answers and notifications. Otherwise calls could fill all places while
 * their handlers on the server wait for an answer of this side, which could then not be sent.
 * Thread-safe. The lock guards the places; no callback runs while it is held.
 */
final class PostQueue {
  /** The maximum number of calls under way. */
  private static final int CALLS = 64;

  /** The maximum number of answers and notifications under way. */
  private static final int OTHERS = 16;

  /** The memory of a waiting answer besides its text. Most texts are shorter. */
  private static final int OVERHEAD = 512;

  /** The places of one kind. */
  private static final class Places {
    final int limit;
    final Deque<Post> waiting = new ArrayDeque<>();
    final Set<Post> running = new LinkedHashSet<>();

    Places(int limit) {
      this.limit = limit;
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition othersLeft = lock.newCondition();
  private final Places calls = new Places(CALLS); // guarded by lock
  private final Places others = new Places(OTHERS); // guarded by lock
  private final QueuedBytes queued;
  private final Runnable roomAgain;

  /**
   * @param limit the number of bytes in the queue above which senders wait
   * @param remote the name of the server for messages
   * @param roomAgain runs on a reader thread when the queue accepts answers again
   */
  PostQueue(int limit, String remote, Runnable roomAgain) {
    this.queued = new QueuedBytes(limit, lock, remote);
    this.roomAgain = roomAgain;
  }

  private Places of(Post post) {
    return post.message().isCall() ? calls : others;
  }

  private static int bytes(Post post) {
    OutgoingMessage message = post.message();
    int size = message.size() + message.headers().size();
    return message.isCall() ? size : size + OVERHEAD;
  }

  private static int answers(Post post) {
    return post.message().isAnswer() ? bytes(post) : 0;
  }

  /**
   * Sends a POST now if a place is free, or else when another POST releases its place.
   *
   * @throws dev.repartee.transport.DisconnectedException if the queue is closed
   */
  void send(Post post) {
    lock.lock();
    try {
      queued.requireOpen();
      Places places = of(post);
      if (places.running.size() >= places.limit) {
        queued.add(bytes(post), answers(post));
        places.waiting.add(post);
        return;
      }
      places.running.add(post);
    } finally {
      lock.unlock();
    }
    post.begin(this);
  }

  /** Releases the place of a POST and sends the next POST. */
  void left(Post post) {
    Post next = null;
    boolean room = false;
    lock.lock();
    try {
      Places places = of(post);
      places.running.remove(post);
      if (others.running.isEmpty()) {
        othersLeft.signalAll();
      }
      while (next == null && !places.waiting.isEmpty()) {
        Post first = places.waiting.remove();
        room |= queued.remove(bytes(first), answers(first));
        next = first.isOver() ? null : first;
      }
      if (next != null) {
        places.running.add(next);
      }
    } finally {
      lock.unlock();
    }
    Post begun = next;
    if (begun != null) { // if it failed on this thread, it would call left() recursively
      HttpThreads.READERS.execute(() -> begun.begin(this));
    }
    if (room) {
      HttpThreads.READERS.execute(roomAgain);
    }
  }

  /** Returns the POSTs under way. */
  List<Post> running() {
    lock.lock();
    try {
      List<Post> running = new ArrayList<>(calls.running);
      running.addAll(others.running);
      return running;
    } finally {
      lock.unlock();
    }
  }

  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return queued.awaitRoom(time, unit);
  }

  /** Waits until the server has accepted the notifications and answers that were sent. */
  void awaitOthers(long time, TimeUnit unit) throws InterruptedException {
    long nanos = unit.toNanos(time);
    lock.lockInterruptibly();
    try {
      while (!others.running.isEmpty() && nanos > 0) {
        nanos = othersLeft.awaitNanos(nanos);
      }
    } finally {
      lock.unlock();
    }
  }

  boolean takesAnswers() {
    return queued.takesAnswers();
  }

  /** Drops the waiting POSTs, cancels the POSTs under way, and wakes the waiting senders. */
  void close(@Nullable Throwable cause) {
    lock.lock();
    try {
      calls.waiting.clear();
      others.waiting.clear();
      queued.clear();
      queued.close(cause);
    } finally {
      lock.unlock();
    }
    running().forEach(Post::cancel);
  }
}
