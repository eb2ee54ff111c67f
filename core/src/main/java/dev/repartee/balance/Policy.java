package dev.repartee.balance;

import dev.repartee.Peer;
import dev.repartee.carrier.CarriedCalls.Routes;
import dev.repartee.json.Json;
import java.util.Collection;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The choice of an endpoint for each call of a {@link Balanced} peer. Every policy picks only
 * available endpoints, and prefers those whose write queues have room to those that do not read.
 * Immutable; one policy may serve several peers.
 */
public abstract sealed class Policy {
  /** Picks the endpoints in turn. */
  public static final Policy ROUND_ROBIN = new InTurn();

  /**
   * Picks the endpoint with the fewest pending calls of this peer; of several the next one in turn.
   * A slow endpoint therefore gets fewer calls. Compares up to 16 endpoints for a call, beginning
   * with the next one in turn.
   */
  public static final Policy LEAST_PENDING = new LeastPending();

  /** The number of endpoints that are compared for a call by {@link #LEAST_PENDING}. */
  private static final int COMPARED = 16;

  /** Added to the cost of a peer whose write queue is full, and of one where the call has failed. */
  private static final long FULL = 1L << 61;

  private static final long AVOIDED = 1L << 62;

  private static final Runnable NOTHING = () -> {};

  private Policy() {}

  /**
   * Returns a policy that sends all calls with the same key to the same endpoint (rendezvous
   * hashing). If that endpoint is not available, its keys are spread over the others until it
   * returns; keys of other endpoints never move. Calls without a key are sent to the endpoints in
   * turn, and so is each batch.
   *
   * @param key gets the name of the method and the params of a call, or null if it has none, and
   *     returns the key, or null for none. Runs on the thread that makes the call; must be
   *     thread-safe
   */
  public static Policy sticky(BiFunction<String, @Nullable Json, @Nullable String> key) {
    return new Sticky(Objects.requireNonNull(key));
  }

  /** Returns the key of a call as a number, or {@link Routes#NO_KEY}. Runs user code. */
  long key(String method, Supplier<? extends @Nullable Json> params) {
    return Routes.NO_KEY;
  }

  /**
   * Returns the cost of a call to an endpoint: from 0, which no other endpoint undercuts, to 2^61.
   *
   * @param place the place of the endpoint in the turn
   */
  abstract long cost(Member member, Peer peer, long key, int place);

  /** Returns the number of endpoints to compare, from 1 to {@code all}. */
  int compared(int all) {
    return all;
  }

  /** Returns the open peer with the least cost; null if none is open. */
  final @Nullable Peer pick(Member[] members, long key, int turn, Collection<Peer> avoided) {
    Peer best = null;
    long least = Long.MAX_VALUE;
    int left = members.length == 0 ? 0 : compared(members.length);
    for (int i = 0; i < members.length && left > 0 && least > 0; i++) {
      Member member = members[(turn % members.length + i) % members.length];
      Peer peer = member.peer();
      if (peer == null || !peer.isOpen()) {
        continue;
      }
      left--;
      long cost = cost(member, peer, key, i) | (avoided.contains(peer) ? AVOIDED : 0);
      if (cost < least && !peer.flow().hasRoom(NOTHING)) {
        cost |= FULL;
      }
      if (cost < least) {
        best = peer;
        least = cost;
      }
    }
    return best;
  }

  private static final class InTurn extends Policy {
    @Override
    long cost(Member member, Peer peer, long key, int place) {
      return place;
    }
  }

  private static final class LeastPending extends Policy {
    @Override
    long cost(Member member, Peer peer, long key, int place) {
      return peer.flow().pending();
    }

    @Override
    int compared(int all) {
      return Math.min(all, COMPARED);
    }
  }

  private static final class Sticky extends Policy {
    private final BiFunction<String, @Nullable Json, @Nullable String> keys;

    Sticky(BiFunction<String, @Nullable Json, @Nullable String> keys) {
      this.keys = keys;
    }

    @Override
    long key(String method, Supplier<? extends @Nullable Json> params) {
      String key = keys.apply(method, params.get());
      return key == null ? Routes.NO_KEY : Math.max(1, hash(key));
    }

    @Override
    long cost(Member member, Peer peer, long key, int place) {
      return key == Routes.NO_KEY ? place : mix(key ^ member.seed) >>> 3;
    }
  }

  /** Returns a positive hash of a text: FNV-1a, mixed. */
  static long hash(String text) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    return mix(hash) >>> 1;
  }

  /** Mixes all bits: the finalizer of SplitMix64. */
  private static long mix(long bits) {
    long mixed = (bits ^ bits >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }
}
