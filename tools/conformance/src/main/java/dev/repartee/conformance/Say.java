package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Data to send. It uses the method and parameter names of the corpus, which {@link Vocabulary}
 * replaces by the names of the server.
 */
sealed interface Say {
  /** A message, valid or not, which the connection frames. */
  record Message(byte[] text) implements Say {}

  /**
   * Bytes of a stream, including the frames.
   *
   * @param parts texts in ISO 8859-1, and messages; a text may contain the length of the message
   *     after it
   * @param bytewise whether each byte is written separately
   */
  record Bytes(List<Part> parts, boolean bytewise) implements Say {
    /**
     * Returns the bytes to send. {@code $n}, {@code $x} and {@code $4} in a text are replaced by
     * the length of the next message in decimal, in hexadecimal, and as four bytes.
     *
     * @param own replaces the other variables in a text
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

  /** A part of a byte stream: a text, or a message. */
  record Part(byte[] bytes, boolean message) {}

  /**
   * An HTTP request.
   *
   * @param method the HTTP method
   * @param headers fields that replace the fields of a valid request; a field without value is left
   *     out
   * @param body the body
   */
  record Http(String method, List<String> headers, byte[] body) implements Say {}

  /**
   * A number of messages, sent one after another without waiting; {@code $i} is the number of each.
   */
  record Many(byte[] text, int count) implements Say {}
}
