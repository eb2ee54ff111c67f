package dev.repartee.internal;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A transport object that the calling thread uses for its schemes instead of an installed one.
 * For {@code repartee-servlet}: a container runs that transport, which is one object for each
 * servlet and cannot be found by a scheme. It is no parameter of {@code Repartee.listen}, since
 * users have no such object.
 */
public final class GivenTransport {
  /** A {@code dev.repartee.transport.Transport}, a type of a package above this one. */
  private static final ThreadLocal<@Nullable Object> CURRENT = new ThreadLocal<>();

  private GivenTransport() {}

  /** A step that starts a server. */
  @FunctionalInterface
  public interface Start<T> {
    /** Starts the server. */
    T start() throws IOException;
  }

  /** Runs a step that finds this transport by its schemes. */
  public static <T> T during(Object transport, Start<T> step) throws IOException {
    CURRENT.set(transport);
    try {
      return step.start();
    } finally {
      CURRENT.remove();
    }
  }

  /** Returns the transport of the calling thread, or null if there is none. */
  public static @Nullable Object get() {
    return CURRENT.get();
  }
}
