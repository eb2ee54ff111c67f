package dev.repartee.jackson;

import dev.repartee.json.JsonWriter;
import java.io.OutputStream;

/** Passes Jackson's output to a frame. */
final class Sink extends OutputStream {
  private final JsonWriter out;

  Sink(JsonWriter out) {
    this.out = out;
  }

  @Override
  public void write(int b) {
    out.put(b);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    out.raw(bytes, offset, offset + length);
  }
}
