package dev.repartee.broker;

import dev.repartee.transport.Attributes;
import dev.repartee.transport.http.HttpRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that a broker has delivered to a worker. The module of a broker implements it;
 * {@link Worker} serves it. The methods may be called from any thread and do not block: they put
 * their message into the queue of an {@link Outbox}. Without a connection they do nothing, since
 * the broker delivers an unsettled message again.
 *
 * <p>Exactly one of {@link #done}, {@link #dead} and {@link #again} settles the message, after all
 * replies.
 */
public interface Delivery {
  /** Returns the frame. */
  byte[] body();

  /**
   * Returns the headers that the caller has set, by names that ignore case; empty, the default, if
   * the messages of the broker have no headers. They are the claim of the sender.
   */
  default Map<String, String> headers() {
    return Map.of();
  }

  /**
   * Returns the initial attributes of the calls in the frame: the {@link #headers}, if there are any,
   * and the facts about the sender that the broker has verified.
   */
  default Attributes attributes() {
    Map<String, String> headers = headers();
    return headers.isEmpty() ? Attributes.NONE : Attributes.of(HttpRequest.HEADERS, headers);
  }

  /** Returns the {@linkplain OutgoingRequest#key key}; null if the client has set none. */
  @Nullable String key();

  /** Returns whether the client has set the destination of the reply. */
  boolean expectsReply();

  /** Returns whether the client declares that the message may be handled twice. */
  boolean isIdempotent();

  /**
   * Returns the number of bytes that may be sent before the reply without a
   * {@linkplain Worker#grant grant}; 0 if the client accepts only the reply.
   */
  int window();

  /**
   * Returns whether the broker has delivered the message before, to a worker that was lost without
   * settling it.
   */
  boolean isRepeated();

  /** Returns how often the message was returned to the queue ({@link #again}). */
  int attempts();

  /**
   * Returns whether the broker counts {@link #attempts}, even after the loss of a worker. If so, a
   * repeated message does not have to be returned to the queue to be counted. False by default.
   */
  default boolean isCounted() {
    return false;
  }

  /**
   * Records for statistics, before {@link #reply}, that the answer is an error. Does nothing by
   * default. A batch does not count as an error, since it may have several answers.
   *
   * @param code the code of the JSON-RPC error
   */
  default void failed(int code) {}

  /**
   * Sends a message to the client.
   *
   * @param body the frame; empty to end a request without an answer
   * @param hasMore see {@link Reply#hasMore}
   */
  void reply(byte[] body, boolean hasMore);

  /** Settles the message as handled. */
  void done();

  /**
   * Settles the message as one that must not be handled: moves it to the dead letters.
   *
   * @param reason the reason, in a sentence for the operator
   */
  void dead(String reason);

  /**
   * Returns whether {@link #again} leads to another attempt. If not, the message is answered with
   * an error when the worker ends.
   */
  default boolean mayComeAgain() {
    return true;
  }

  /** Settles the message by returning it to the queue, with {@link #attempts} incremented. */
  void again();
}
