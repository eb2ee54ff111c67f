package dev.repartee.bridge;

import dev.repartee.bridge.SharedBackend.Audience;
import dev.repartee.bridge.Subscription.State;
import dev.repartee.json.Json;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions over one connection by id, and the places of their clients. Until the methods
 * of the backend are known, it contains the recorded answers, which may be ids of subscriptions.
 * Sends no message. Thread-safe.
 */
final class SubscriptionTable {
  /** The decision about an answer that may be the id of a subscription. */
  enum Verdict {
    /**
     * The client gets the answer: it is recorded, or a subscription, or not the id of a
     * subscription.
     */
    PASSES,
    /** The answer waits for the methods; see {@link SubscriptionTable#pass}. */
    WAITS,
    /** The answer is the id of a subscription that the client must not have. */
    REFUSED
  }

  /** The maximum number of method names that are stored for {@link #hasMissed}. */
  private static final int NAMES = 1_000;

  private final int most;
  private final Predicate<Audience> present;

  /** The methods of the backend; null until they are known. Written under the lock. */
  private volatile @Nullable SubscriptionMethods methods;

  /** Whether an answer was not recorded. An item without an entry may then belong to its client. */
  private volatile boolean overflown;

  // Guarded by this.
  private final Map<Json, Subscription> entries = new LinkedHashMap<>();
  private Places places;

  /** The methods of the answers that were delivered without being recorded. */
  private final Set<String> missed = new HashSet<>();

  /**
   * @param noted the maximum number of recorded answers
   * @param most the number of subscriptions that the backend allows to a connection
   * @param present whether a client is still connected
   */
  SubscriptionTable(int noted, int most, Predicate<Audience> present) {
    this.places = new Places(noted);
    this.most = most;
    this.present = present;
  }

  /** Returns the methods of the backend; null until they are known. */
  @Nullable SubscriptionMethods methods() {
    return methods;
  }

  boolean isOverflown() {
    return overflown;
  }

  /** Returns the number of subscriptions that a client may have if there are no others. */
  int share() {
    return (most + 1) / 2;
  }

  /**
   * Sorts the recorded answers.
   *
   * @return the subscriptions to end, except those with a waiting answer: they are recorded again
   */
  synchronized Map<Json, Subscription> learn(SubscriptionMethods known) {
    Map<Json, Subscription> noted = new LinkedHashMap<>(entries);
    entries.clear();
    places = new Places(most);
    methods = known;
    noted
        .entrySet()
        .removeIf(each -> each.getValue().state() == State.BATCHED
            || sort(known, each.getKey(), each.getValue()) == Verdict.PASSES);
    return noted;
  }

  /** Records an answer that may be the id of a subscription. */
  synchronized Verdict note(Json id, Subscription entry) {
    SubscriptionMethods known = methods;
    if (known != null) {
      return sort(known, id, entry);
    }
    if (!places.take(entry.name())) {
      overflown = true;
      return Verdict.WAITS;
    }
    add(id, entry);
    return entry.state() == State.BATCHED ? Verdict.WAITS : Verdict.PASSES;
  }

  /**
   * Releases an answer that waited for the methods until the time limit. It stays recorded for
   * {@link #learn}; if there was no room for it, only its method is stored.
   *
   * @return false if the methods have become known: the answer must be recorded again
   */
  synchronized boolean pass(Json id, Subscription entry) {
    if (methods != null) {
      return false;
    }
    Subscription noted = entry.state() == State.BATCHED ? entries.get(id) : null;
    if (noted != null) {
      entries.put(id, noted.in(State.LATE));
    } else if (missed.size() < NAMES) {
      missed.add(entry.method());
    }
    return true;
  }

  /**
   * Returns whether a client may have an unrecorded subscription. It would count for no client, and
   * would stay open.
   */
  synchronized boolean hasMissed(SubscriptionMethods known) {
    return missed.size() == NAMES && !known.subscribing().isEmpty()
        || !Collections.disjoint(missed, known.subscribing().keySet());
  }

  /**
   * Records the entries of the former connection as lost, until the methods are known.
   *
   * @return whether there are any that were not lost before
   */
  synchronized boolean inherit(Map<Json, Subscription> former) {
    boolean fresh = false;
    for (Map.Entry<Json, Subscription> each : former.entrySet()) {
      Subscription entry = each.getValue();
      Audience client = entry.client();
      if (client != null && client.peer().isOpen() && places.take(entry.name())) {
        entries.put(each.getKey(), entry.in(State.LOST));
        fresh |= entry.state() != State.LOST;
      }
    }
    return fresh;
  }

  private Verdict sort(SubscriptionMethods known, Json id, Subscription entry) {
    if (!known.subscribing().containsKey(entry.method())) {
      return Verdict.PASSES;
    }
    Audience client = entry.client();
    if (client == null || entry.state() != State.ALONE || !present.test(client) || !take(entry)) {
      return Verdict.REFUSED;
    }
    add(id, entry);
    return Verdict.PASSES;
  }

  /** Reserves a place for a subscription. Returns false if its client has its share. */
  synchronized boolean take(Subscription entry) {
    return places.take(entry.name());
  }

  synchronized void giveBack(Subscription entry) {
    places.giveBack(entry.name());
  }

  /** Adds a subscription that has a reserved place. */
  synchronized void add(Json id, Subscription entry) {
    Subscription before = entries.put(id, entry);
    if (before != null) {
      giveBack(before); // the backend has used this id twice
    }
  }

  synchronized @Nullable Subscription find(Json id) {
    return entries.get(id);
  }

  synchronized @Nullable Subscription remove(Json id) {
    Subscription entry = entries.remove(id);
    if (entry != null) {
      giveBack(entry);
    }
    return entry;
  }

  /**
   * Removes the subscription of a cancelled call. A recorded answer is kept without its client, for
   * {@link #learn}.
   *
   * @return the subscription to end; null for none
   */
  synchronized @Nullable Subscription end(Json id) {
    if (methods != null) {
      return remove(id);
    }
    entries.computeIfPresent(id, (key, was) -> was.withoutClient());
    return null;
  }

  /**
   * Removes the subscriptions of a client that is no longer present. Recorded answers are kept:
   * {@link #learn} detects that the client is not present.
   */
  synchronized Map<Json, Subscription> leave(Audience client) {
    Map<Json, Subscription> ended = new LinkedHashMap<>();
    if (methods != null) {
      entries.forEach((id, entry) -> {
        if (entry.client() == client) {
          ended.put(id, entry);
        }
      });
      ended.keySet().forEach(this::remove);
    }
    return ended;
  }

  /** Removes all subscriptions, and returns them. */
  synchronized Map<Json, Subscription> clear() {
    Map<Json, Subscription> all = new LinkedHashMap<>(entries);
    entries.clear();
    places.clear();
    return all;
  }
}
