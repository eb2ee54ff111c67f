package dev.repartee.transport;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a {@link dev.repartee.Call}: values by typed key. Immutable. They come from
 *
 * <ul>
 *   <li>the transport, see {@link Channel#attributes()}: {@link Channel#REMOTE_ADDRESS}, {@link
 *       Channel#PEER_CERTIFICATES}, {@link PeerUser#ATTRIBUTE}, {@link Channel#PROCESS}, and over HTTP and WebSocket {@link
 *       dev.repartee.transport.http.HttpRequest#HEADERS} and {@link
 *       dev.repartee.transport.http.HttpRequest#QUERY};
 *   <li>layers, which pass values to each other and to the handler with {@link
 *       dev.repartee.Call#set}, such as a principal or a tracing span;
 *   <li>protocols on top. They keep their keys to themselves, and offer the values by their
 *       {@link dev.repartee.CallView}.
 * </ul>
 */
public final class Attributes {
  /** No attributes. */
  public static final Attributes NONE = new Attributes(new Object[0]);

  /**
   * Keys at even indexes, each followed by its value. They are few; a search is as fast as a hash.
   */
  private final Object[] entries;

  private Attributes(Object[] entries) {
    this.entries = entries;
  }

  /** Returns one attribute. */
  public static <T> Attributes of(Attribute<T> key, T value) {
    return NONE.with(key, value);
  }

  /** Returns the value of an attribute; null if it is not set. */
  @SuppressWarnings("unchecked") // with() puts a T behind an Attribute<T>
  public <T> @Nullable T get(Attribute<T> key) {
    int at = indexOf(key);
    return at == entries.length ? null : (T) entries[at + 1];
  }

  /** Returns the first value of this type; null if there is none. */
  public <T> @Nullable T find(Class<T> type) {
    for (int i = 1; i < entries.length; i += 2) {
      if (type.isInstance(entries[i])) {
        return type.cast(entries[i]);
      }
    }
    return null;
  }

  /** Returns a copy with this value of the attribute. */
  public <T> Attributes with(Attribute<T> key, T value) {
    int at = indexOf(key);
    Object[] copy = Arrays.copyOf(entries, Math.max(entries.length, at + 2));
    copy[at] = key;
    copy[at + 1] = Objects.requireNonNull(value);
    return new Attributes(copy);
  }

  /** Returns a copy without the attribute. */
  public Attributes without(Attribute<?> key) {
    int at = indexOf(key);
    if (at == entries.length) {
      return this;
    }
    Object[] copy = Arrays.copyOf(entries, entries.length - 2);
    System.arraycopy(entries, at + 2, copy, at, copy.length - at);
    return new Attributes(copy);
  }

  /** Returns the index of the key, or the number of entries if it is not set. */
  private int indexOf(Attribute<?> key) {
    int at = 0;
    while (at < entries.length && entries[at] != key) {
      at += 2;
    }
    return at;
  }
}
