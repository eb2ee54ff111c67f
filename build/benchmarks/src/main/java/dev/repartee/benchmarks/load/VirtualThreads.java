package dev.repartee.benchmarks.load;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Virtual threads, which JDK 17 does not have. */
public final class VirtualThreads {
  private static final int JDK = 21;

  private VirtualThreads() {}

  /** Returns the missing requirement for a JDK version, or null. */
  public static @Nullable String lacks(int jdk) {
    return jdk < JDK ? "JDK 21 or newer" : null;
  }

  /** Returns an executor that starts a virtual thread for each task. */
  public static Executor executor() throws ReflectiveOperationException {
    return (Executor)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }
}
