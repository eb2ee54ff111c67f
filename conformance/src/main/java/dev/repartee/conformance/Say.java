package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.UnaryOperator;

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
  record Bytes(List<Part> parts, boolean bytewise) implements Say {
    /**
     * What goes out. {@code $n}, {@code $x} and {@code $4} are the length of the message that follows: in
     * decimal, in hexadecimal, in four bytes.
     *
     * @param own fills in what else is left open
     */
    byte[] assembled(UnaryOperator<String> own) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (int i = 0; i < parts.size(); i++) {
        Part part = parts.get(i);
        int length = i + 1 < parts.size() ? parts.get(i + 1).bytes().length : 0;
        byte[] prefix = ByteBuffer.allocate(4).putInt(length).array();
        String text = new String(part.bytes(), ISO_8859_1);
        all.writeBytes(
            part.message()
                ? part.bytes()
                : own.apply(text)
                    .replace("$x", Integer.toHexString(length))
                    .replace("$n", Integer.toString(length))
                    .replace("$4", new String(prefix, ISO_8859_1))
                    .getBytes(ISO_8859_1));
      }
      return all.toByteArray();
    }
  }

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
