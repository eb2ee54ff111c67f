package dev.repartee.resilience;

import dev.repartee.Peer;
import dev.repartee.internal.PerName;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The state of a policy for each peer, as long as the peer exists. Thread-safe. */
final class PerPeer<S> {
  /** The number of methods with their own state: a bridge calls with the names of its clients. */
  private static final int METHODS = 100;

  private record Last<S>(WeakReference<Peer> peer, S state) {}

  private final Supplier<S> maker;

  // Guarded by itself.
  private final Map<Peer, S> states = new WeakHashMap<>();

  /** The entry that was used last: most layers have one peer. */
  private volatile @Nullable Last<S> last;

  /**
   * Creates an empty table.
   *
   * @param maker makes a state, which must not refer to its peer
   */
  PerPeer(Supplier<S> maker) {
    this.maker = maker;
  }

  /** Returns a table with a state for each of the first methods of a peer; the others share one. */
  static <S> PerPeer<PerName<S>> perMethod(Supplier<S> maker) {
    return new PerPeer<>(() -> new PerName<>(METHODS, method -> maker.get(), maker.get()));
  }

  S of(Peer peer) {
    Last<S> present = last;
    if (present != null && present.peer().refersTo(peer)) {
      return present.state();
    }
    S state;
    synchronized (states) {
      state = states.computeIfAbsent(peer, added -> maker.get());
    }
    last = new Last<>(new WeakReference<>(peer), state);
    return state;
  }
}
