package dev.repartee.conformance;

import java.util.List;

/**
 * What is sent. Its bytes are as they stand in the corpus, with the corpus's words: {@link Vocabulary}
 * puts the server's in their place.
 */
sealed interface Say {
  /** One message, right or wrong, in the frame that the connection has for it. */
  record Message(byte[] text) implements Say {}

  /**
   * Bytes of a stream, frames and all.
   *
   * @param parts texts in ISO 8859-1, and messages whose lengths the text before may tell
   * @param bytewise whether each byte is written by itself
   */
  record Bytes(List<Part> parts, boolean bytewise) implements Say {}

  /** Bytes, or a message among them. */
  record Part(byte[] bytes, boolean message) {}

  /**
   * An HTTP request.
   *
   * @param method its method
   * @param headers fields in place of those that a right request has; one with no value leaves it out
   * @param body what it carries
   */
  record Http(String method, List<String> headers, byte[] body) implements Say {}

  /** So many numbered messages, one after another without waiting: {@code $i} is the number. */
  record Many(byte[] text, int count) implements Say {}
}
