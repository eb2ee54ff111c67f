package dev.repartee.cli.terminal;

import dev.repartee.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The white space between the tokens of a JSON text. The tokens are copied, so that every digit and
 * escape stays as received.
 */
public enum Layout {
  /** No white space: the value is on one line. */
  ONE_LINE,
  /**
   * A line for each element and member, indented by two spaces per level. Empty containers stay on
   * one line.
   */
  INDENTED;

  /** Returns the value in this layout. */
  public String text(Json json) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try {
      write(json, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString(StandardCharsets.UTF_8);
  }

  /** Writes the value in this layout. */
  public void write(Json json, OutputStream out) throws IOException {
    byte[] text = json.toBytes();
    int depth = 0;
    for (int i = 0; i < text.length; i++) {
      byte c = text[i];
      switch (c) {
        case '"' -> {
          int end = endOfString(text, i);
          out.write(text, i, end - i);
          i = end - 1;
        }
        case '{', '[' -> {
          out.write(c);
          int next = nextToken(text, i + 1);
          if (text[next] == c + 2) { // in ASCII ']' is '[' + 2, and '}' is '{' + 2
            out.write(text[next]);
            i = next;
          } else {
            newLine(out, ++depth);
          }
        }
        case '}', ']' -> {
          newLine(out, --depth);
          out.write(c);
        }
        case ',' -> {
          out.write(c);
          newLine(out, depth);
        }
        case ':' -> colon(out);
        case ' ', '\t', '\r', '\n' -> {}
        default -> out.write(c);
      }
    }
  }

  private void newLine(OutputStream out, int depth) throws IOException {
    if (this == INDENTED) {
      out.write('\n');
      for (int i = 0; i < depth; i++) {
        out.write(' ');
        out.write(' ');
      }
    }
  }

  private void colon(OutputStream out) throws IOException {
    out.write(':');
    if (this == INDENTED) {
      out.write(' ');
    }
  }

  private static int endOfString(byte[] text, int quote) {
    int i = quote + 1;
    while (text[i] != '"') {
      i += text[i] == '\\' ? 2 : 1;
    }
    return i + 1;
  }

  private static int nextToken(byte[] text, int from) {
    int i = from;
    while (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
      i++;
    }
    return i;
  }
}
