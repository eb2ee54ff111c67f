package dev.repartee;

import dev.repartee.internal.BufferThread;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Lenience;
import dev.repartee.transport.ReadingThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The objects that a reading thread reuses from frame to frame: an element for each combination of
 * limits and lenience.
 */
final class Scratch {
  /** The number of elements that a thread keeps; one more clears all. */
  private static final int MAX_ELEMENTS = 16;

  /**
   * The objects of reading threads that are not {@link ReadingThread}s, for example of other
   * transports.
   */
  private static final ThreadLocal<Scratch> ELSEWHERE = ThreadLocal.withInitial(Scratch::new);

  private final List<Element> elements = new ArrayList<>(1);
  private boolean taken;

  /**
   * Acquires the objects of the calling thread, if it is a reading thread and does not use them
   * already; otherwise returns new ones. A frame can be delivered while another one is in service
   * on the same thread. The caller must {@link #release} the objects.
   */
  static Scratch take() {
    Scratch own = own();
    Scratch scratch = own == null || own.taken ? new Scratch() : own;
    scratch.taken = true;
    return scratch;
  }

  private static @Nullable Scratch own() {
    Thread thread = Thread.currentThread();
    if (thread instanceof BufferThread reader) {
      if (reader.buffers instanceof Scratch own) {
        return own;
      }
      Scratch own = new Scratch();
      reader.buffers = own;
      return own;
    }
    return thread instanceof ReadingThread ? ELSEWHERE.get() : null;
  }

  void release() {
    taken = false;
  }

  Element element(Limits limits, Set<Lenience> lenience) {
    for (int i = 0; i < elements.size(); i++) {
      if (elements.get(i).frame.isFor(limits, lenience)) {
        return elements.get(i);
      }
    }
    if (elements.size() == MAX_ELEMENTS) {
      elements.clear();
    }
    Element element = new Element(limits, lenience);
    elements.add(element);
    return element;
  }
}
