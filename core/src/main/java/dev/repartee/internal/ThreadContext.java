package dev.repartee.internal;

import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The context of a thread, such as the span of a trace, for the threads that continue its work. A
 * library of telemetry defines it; without one there is only {@link #NONE}, and nothing costs more.
 * Immutable and thread-safe.
 */
public interface ThreadContext {
  /** The context of a thread that has none. */
  ThreadContext NONE = new ThreadContext() {
    @Override
    public Runnable wrap(Runnable task) {
      return task;
    }

    @Override
    public <T extends @Nullable Object> T call(Supplier<T> task) {
      return task.get();
    }

    @Override
    public Map<String, String> fields() {
      return Map.of();
    }
  };

  /** Returns a task that runs in this context. */
  Runnable wrap(Runnable task);

  /** Runs a task in this context on the calling thread. */
  <T extends @Nullable Object> T call(Supplier<T> task);

  /** Returns the context as fields to be stored; see {@link #of}. Empty for {@link #NONE}. */
  Map<String, String> fields();

  /** Returns the context of the calling thread. */
  static ThreadContext current() {
    Provider provider = Installed.PROVIDER;
    return provider == null ? NONE : provider.current();
  }

  /** Returns the context that was stored as {@link #fields}; unreadable ones are ignored. */
  static ThreadContext of(Map<String, String> fields) {
    Provider provider = Installed.PROVIDER;
    return provider == null || fields.isEmpty() ? NONE : provider.of(fields);
  }

  /** Knows the contexts of threads; found as a service. Thread-safe. */
  interface Provider {
    /** Returns the context of the calling thread, or {@link #NONE}. */
    ThreadContext current();

    /** Returns the context with these fields, or {@link #NONE}. */
    ThreadContext of(Map<String, String> fields);
  }

  /** The provider of this process. */
  final class Installed {
    static final @Nullable Provider PROVIDER = find();

    private Installed() {}

    private static @Nullable Provider find() {
      try {
        return ServiceLoader.load(Provider.class, ThreadContext.class.getClassLoader())
            .findFirst()
            .orElse(null);
      } catch (ServiceConfigurationError | LinkageError withoutItsLibrary) {
        return null;
      }
    }
  }
}
