package dev.repartee.testkit;

import java.io.IOException;

/** One way of a connection behind a {@link Fault}: what happens to what it lets pass. */
interface Wire {
  /** Passes {@code bytes[from, to)} on, as one piece; nothing once this way has ended. */
  void write(byte[] bytes, int from, int to) throws IOException;

  /** Ends this way, and throws away what comes later; the other way goes on. */
  void end() throws IOException;

  /** Ends both ways; what was passed on before may still arrive. */
  void cut();

  /** Ends both ways at once. */
  void reset();
}
