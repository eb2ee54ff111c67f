package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** The input of a terminal. The user types a line whenever the program waits for input. */
public final class TypedInput extends InputStream {
  private final Queue<String> typed;
  private ByteArrayInputStream ready;

  /**
   * @param ahead the input that was typed before the first prompt
   * @param typed the lines that follow
   */
  public TypedInput(String ahead, String... typed) {
    this.ready = new ByteArrayInputStream(ahead.getBytes(UTF_8));
    this.typed = new ArrayDeque<>(List.of(typed));
  }

  @Override
  public int available() {
    return ready.available();
  }

  @Override
  public int read() {
    throw new AssertionError("the prompt reads more than a byte");
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    if (ready.available() == 0 && !typed.isEmpty()) {
      ready = new ByteArrayInputStream((typed.remove() + "\n").getBytes(UTF_8));
    }
    return ready.read(target, offset, length);
  }
}
