package dev.repartee.nats;

import dev.repartee.broker.ReceivedHeaders;
import dev.repartee.internal.Text;
import dev.repartee.internal.Times;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of subjects and headers, and the values in the headers of a message. */
final class Names {
  // Headers.

  /**
   * The number of bytes that the client accepts before the reply; a client without this header
   * accepts only the reply.
   */
  static final String WINDOW = "Repartee-Window";

  /** Present if the caller declares that the message may be handled twice. */
  static final String IDEMPOTENT = "Repartee-Idempotent";

  /** Present in a message to the client if more messages follow: the subject for grants. */
  static final String MORE = "Repartee-More";

  /** The reply subject of the request that a control message is about. */
  static final String REQUEST = "Repartee-Request";

  /** The number of bytes that a control message grants; a message without it cancels. */
  static final String GRANT = "Repartee-Grant";

  /** The reason why a message is a dead letter, in a sentence. */
  static final String REASON = "Repartee-Reason";

  /** The subject of the answer to a stored request; its reply subject belongs to JetStream. */
  static final String REPLY = "Repartee-Reply";

  private Names() {}

  /** Returns the subject of the dead letters of a service. */
  static String deadLetters(String subject) {
    return subject + ".dead";
  }

  /** Returns the subject of the requests that a stream stores for a service. */
  static String stored(String subject) {
    return subject + ".stored";
  }

  /** Returns the subject of the control messages to all workers. */
  static String control(String subject) {
    return subject + ".control";
  }

  /** Returns the subject of an event, or a pattern of such subjects. */
  static String event(String subject, String method) {
    return subject + ".events." + method;
  }

  /** Returns the token of a method in a subject: its name if possible. */
  static String token(String method) {
    String token = method.replaceAll("[*>\\s\\p{Cntrl}]", "_");
    boolean isDotted = token.startsWith(".") || token.endsWith(".") || token.contains("..");
    return token.isEmpty() ? "_" : isDotted ? token.replace('.', '_') : token;
  }

  /**
   * Returns the headers of a request; a number that is 0 is omitted.
   *
   * @param own the headers of the caller
   */
  static Headers request(Map<String, String> own, int window, long millis, boolean idempotent) {
    Headers headers = of(own);
    if (window > 0) {
      headers.put(WINDOW, String.valueOf(window));
    }
    if (millis > 0) {
      headers.put(Times.HEADER, String.valueOf(millis));
    }
    if (idempotent) {
      headers.put(IDEMPOTENT, "true");
    }
    return headers;
  }

  /** Returns headers of a caller. */
  static Headers of(Map<String, String> own) {
    Headers headers = new Headers();
    own.forEach((name, value) -> headers.put(name, value));
    return headers;
  }

  /** Returns the headers that the caller has set, by names that ignore case. */
  static Map<String, String> own(Message message) {
    if (!message.hasHeaders()) {
      return Map.of();
    }
    ReceivedHeaders received = new ReceivedHeaders();
    message
        .getHeaders()
        .forEach((name, values) -> values.forEach(value -> received.add(name, value)));
    return received.get();
  }

  /**
   * Returns the subject for the answer that a client has chosen; null if there is none. Subjects
   * that begin with a dollar sign are refused, because they belong to the server, such as
   * {@code $JS.API.STREAM.DELETE.name}, and the client may have fewer permissions than the worker.
   */
  static @Nullable String replySubject(@Nullable String subject) {
    return subject == null || subject.startsWith("$") ? null : subject;
  }

  static @Nullable String header(Message message, String name) {
    Headers headers = message.hasHeaders() ? message.getHeaders() : null;
    return headers == null ? null : headers.getFirst(name);
  }

  /** Returns the number in a header; 0 if it is missing or not a positive number. */
  static long number(Message message, String name) {
    String text = header(message, name);
    return text == null ? 0 : Math.max(0, Text.number(text));
  }
}
