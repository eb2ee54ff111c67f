package dev.repartee.spring;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The diagnostic context of log records. */
final class MdcContext implements CallerContext {
  @Override
  public Captured capture() {
    Map<String, String> captured = MDC.getCopyOfContextMap();
    return () -> {
      Map<String, String> before = MDC.getCopyOfContextMap();
      set(captured);
      return () -> set(before);
    };
  }

  private static void set(@Nullable Map<String, String> values) {
    if (values == null) {
      MDC.clear();
    } else {
      MDC.setContextMap(values);
    }
  }
}
