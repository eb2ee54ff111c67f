package dev.repartee.stream;

import org.jspecify.annotations.Nullable;

/**
 * The options of a stream: its form on the wire, and its buffer. Both sides have to choose the same
 * form; each side has its own buffer. Immutable.
 */
public final class Streaming {
  /** A stream is a call that stays open; the sender waits for the receiver. */
  public static final Streaming DEFAULT = new Streaming(Form.CALL, "", "", Overflow.WAIT, 0);

  private static final int BUFFER = 256;
  private static final int PUSHED = 16_384;

  /** The forms of a stream on the wire. */
  public enum Form {
    /** The items are notifications that belong to the call, and the answer ends the stream. */
    CALL,
    /** The answer is the id of a subscription; the items are notifications with that id. */
    SUBSCRIPTION,
    /** The items are partial results as in the Language Server Protocol. */
    PARTIAL_RESULTS
  }

  private final Form form;
  private final String notification;
  private final String unsubscribe;
  private final Overflow overflow;
  private final int buffer;

  private Streaming(
      Form form, String notification, String unsubscribe, Overflow overflow, int buffer) {
    this.form = form;
    this.notification = notification;
    this.unsubscribe = unsubscribe;
    this.overflow = overflow;
    this.buffer = buffer;
  }

  /**
   * Returns the form of Ethereum: the answer is the id of a subscription, and the items are
   * notifications {@code {"subscription":id,"result":item}}. It needs a connection that carries
   * notifications; HTTP has none.
   *
   * @param notification the name of the notifications, such as {@code eth_subscription}
   * @param unsubscribe the name of the method that ends a subscription, such as {@code
   *     eth_unsubscribe}; its param is the id, and it answers whether there was such a subscription
   * @throws IllegalArgumentException if a name is empty
   */
  public static Streaming subscription(String notification, String unsubscribe) {
    if (notification.isEmpty() || unsubscribe.isEmpty()) {
      throw new IllegalArgumentException("a subscription needs two names: the name of its"
          + " notifications (subscription) and the name of the method that ends it (unsubscribe)");
    }
    return new Streaming(Form.SUBSCRIPTION, notification, unsubscribe, Overflow.WAIT, 0);
  }

  /**
   * Returns the form of LSP: params with a {@code partialResultToken} ask for the items as
   * notifications {@code $/progress {"token":token,"value":[items]}}. Without that member the items
   * are collected in the answer, which has to fit into one frame. Params are one object.
   */
  public static Streaming partialResults() {
    return new Streaming(Form.PARTIAL_RESULTS, "", "", Overflow.WAIT, 0);
  }

  /**
   * Returns the options of an annotation; the default if there is none.
   *
   * @throws IllegalArgumentException if the annotation contradicts itself
   */
  public static Streaming of(@Nullable Streamed given) {
    if (given == null) {
      return DEFAULT;
    }
    boolean subscription =
        !given.subscription().isEmpty() || !given.unsubscribe().isEmpty();
    if (subscription && given.partialResults()) {
      throw new IllegalArgumentException(
          "@Streamed: a stream is either a subscription or has partial results");
    }
    Streaming form = subscription
        ? subscription(given.subscription(), given.unsubscribe())
        : given.partialResults() ? partialResults() : DEFAULT;
    Streaming policy = form.overflow(given.overflow());
    return given.buffer() == 0 ? policy : policy.buffer(given.buffer());
  }

  /** Returns these options with that treatment of items that cannot be passed on. */
  public Streaming overflow(Overflow overflow) {
    return new Streaming(form, notification, unsubscribe, overflow, buffer);
  }

  /**
   * Returns these options with that size of the buffer. The default is 256 items, and 16,384 at the
   * receiver of a subscription or of partial results, which cannot slow the sender down. A sender
   * keeps at most twice as many items: the buffer and the next frame.
   *
   * @throws IllegalArgumentException if the size is not positive
   */
  public Streaming buffer(int items) {
    if (items <= 0) {
      throw new IllegalArgumentException("a buffer has at least one item, not " + items);
    }
    return new Streaming(form, notification, unsubscribe, overflow, items);
  }

  /** Returns the form on the wire. */
  public Form form() {
    return form;
  }

  /** Returns the name of the notifications of a subscription; empty for other forms. */
  public String notification() {
    return notification;
  }

  /** Returns the name of the method that ends a subscription; empty for other forms. */
  public String unsubscribe() {
    return unsubscribe;
  }

  /** Returns the treatment of items that cannot be passed on. */
  public Overflow overflow() {
    return overflow;
  }

  /** Returns the size of the buffer of a sender in items. */
  public int sendBuffer() {
    return buffer == 0 ? BUFFER : buffer;
  }

  /** Returns the size of the buffer of a receiver in items. */
  public int receiveBuffer() {
    if (buffer > 0) {
      return buffer;
    }
    return form == Form.CALL ? BUFFER : PUSHED;
  }
}
