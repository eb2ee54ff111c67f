package dev.repartee.zeromq;

import dev.repartee.limits.MemoryBudget;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.zeromq.ZMQ;
import zmq.Msg;
import zmq.msg.MsgAllocator;

/**
 * The memory of the frames that ZeroMQ receives, for all sockets of this process. JeroMQ allocates
 * a frame when its size is announced, and limits neither the number of connections nor the frames
 * of a message. Above the {@linkplain MemoryBudget memory budget} this class drops the content of a
 * frame, which also ends its message.
 *
 * <p>An instance serves one socket. The thread of ZeroMQ allocates, the thread of the socket
 * releases a frame when it receives it. Frames of connections that end in the middle of a message
 * count until the garbage collection: consecutive frames share a block, and each block has one weak
 * reference.
 */
final class FrameMemory implements MsgAllocator {
  /** The number of bytes that a frame uses in addition to its content. */
  private static final int OVERHEAD = 160;

  private static final int BLOCK = 64 << 10;

  /**
   * The maximum size of a frame that is accepted even if large frames have exhausted the budget.
   */
  private static final int SMALL = 8 << 10;

  /** The maximum size of a ZeroMQ command, which is handled by the thread of ZeroMQ. */
  private static final int COMMAND = 1 << 10;

  private static final long MAX = MemoryBudget.ofProcess().max();
  private static final long GC_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final AtomicLong HELD = new AtomicLong();
  private static final AtomicLong LAST_GC = new AtomicLong(System.nanoTime() - GC_PAUSE);
  private static final Set<Reference> BLOCKS = ConcurrentHashMap.newKeySet();
  private static final ReferenceQueue<Block> GARBAGE = new ReferenceQueue<>();

  private final int frameBytes;

  // Used by the thread of ZeroMQ only.
  private @Nullable Block block;
  private ByteBuffer sink = ByteBuffer.allocate(0);

  /** Frames that count together. */
  private static final class Block {
    /** The bytes of the frames that were not released. */
    final AtomicLong left = new AtomicLong();

    /** The bytes of all frames. Used by the thread of ZeroMQ only. */
    long size;
  }

  /** Reports that all frames of a block are garbage. */
  private static final class Reference extends WeakReference<Block> {
    final AtomicLong left;

    Reference(Block block) {
      super(block, GARBAGE);
      this.left = block.left;
    }

    void forget() {
      if (BLOCKS.remove(this)) {
        HELD.addAndGet(-left.get());
      }
    }
  }

  /** A frame that counts until it is released. */
  private static final class Frame extends Msg {
    private final Block block;
    private boolean isReleased;

    Frame(int size, Block block) {
      super(size);
      this.block = block;
    }

    void release() {
      if (!isReleased) {
        isReleased = true;
        block.left.addAndGet(-cost(size()));
        HELD.addAndGet(-cost(size()));
      }
    }

    @Override
    public void setFlags(int flags) {
      super.setFlags(flags);
      if (isCommand() && size() <= COMMAND) {
        release();
      }
    }

    /** Called by the decryption, which allocates another frame. */
    @Override
    public void transfer(ByteBuffer destination, int offset, int length) {
      release();
      super.transfer(destination, offset, length);
    }
  }

  /** A frame without memory, the last one of its message. Its content is undefined. */
  private static final class Dropped extends Msg {
    Dropped(ByteBuffer sink) {
      super(sink);
    }

    @Override
    public void setFlags(int flags) {
      super.setFlags(flags & ~MORE);
    }

    @Override
    public byte[] data() {
      return new byte[0];
    }
  }

  /**
   * Creates the memory of a socket.
   *
   * @param frameBytes the maximum size of a frame, in bytes
   */
  FrameMemory(int frameBytes) {
    this.frameBytes = frameBytes;
  }

  /** Receives a frame; returns null if there is none. */
  static @Nullable Msg receive(ZMQ.Socket socket, int flags) {
    Msg frame = socket.base().recv(flags);
    if (frame instanceof Frame counted) {
      counted.release();
    }
    return frame;
  }

  /** Returns whether the content of a frame was dropped for lack of memory. */
  static boolean isDropped(Msg frame) {
    return frame instanceof Dropped;
  }

  private static long cost(int size) {
    return size + OVERHEAD;
  }

  @Override
  public Msg allocate(int size) {
    // JeroMQ 0.6.0 reads a size of 2^63 or more as negative. It passes the limit, and JeroMQ uses
    // the last 31 or 32 bits. An exception of the allocator would end the input of all connections;
    // an empty frame breaks only the connection with that size.
    int real = size >= 0 && size <= frameBytes ? size : 0;
    if (take(real) || collect() && take(real)) {
      return new Frame(real, block(cost(real)));
    }
    if (sink.capacity() < real) {
      sink = ByteBuffer.allocate(real);
    }
    return new Dropped(sink.duplicate().limit(real));
  }

  private static boolean take(int size) {
    long cost = cost(size);
    long max = size <= SMALL ? MAX + MAX / 4 : MAX;
    if (HELD.addAndGet(cost) <= max) {
      return true;
    }
    HELD.addAndGet(-cost);
    return false;
  }

  private Block block(long cost) {
    Block now = block;
    if (now == null || now.size + cost > BLOCK) {
      forgetGarbage();
      now = new Block();
      block = now;
      BLOCKS.add(new Reference(now));
    }
    now.size += cost;
    now.left.addAndGet(cost);
    return now;
  }

  private static void forgetGarbage() {
    for (var next = GARBAGE.poll(); next != null; next = GARBAGE.poll()) {
      ((Reference) next).forget();
    }
  }

  /** Checks for frames of ended connections, at most once a second. Returns whether it did. */
  private static boolean collect() {
    long now = System.nanoTime();
    long last = LAST_GC.get();
    if (now - last < GC_PAUSE || !LAST_GC.compareAndSet(last, now)) {
      return false;
    }
    System.gc(); // nothing else reports which frames are garbage
    for (Reference each : BLOCKS) {
      if (each.refersTo(null)) { // it is put into the queue later
        each.forget();
      }
    }
    return true;
  }
}
