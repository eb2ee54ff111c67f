package dev.repartee.spring;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Carries the contexts of a request to the threads of its handlers. A call that arrived over another
 * transport has none.
 */
final class CallerContexts implements Layer {
  private static final Attribute<List<CallerContext.Captured>> CAPTURED =
      Attribute.named("spring.contexts");

  private final List<CallerContext> contexts;

  CallerContexts(List<CallerContext> contexts) {
    this.contexts = contexts;
  }

  /** Captures the contexts of the current thread. */
  Attributes capture() {
    Attributes attributes =
        Attributes.of(CAPTURED, contexts.stream().map(CallerContext::capture).toList());
    for (CallerContext context : contexts) {
      attributes = context.attributes(attributes);
    }
    return attributes;
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    List<CallerContext.Captured> captured = call.attributes().get(CAPTURED);
    if (captured == null) {
      return next.handle(call);
    }
    return within(captured.iterator(), call, next);
  }

  /** Handles a call in the rest of the contexts. Each is closed, even if closing another fails. */
  private static @Nullable Object within(
      Iterator<CallerContext.Captured> contexts, Call call, Handler next) throws Exception {
    if (!contexts.hasNext()) {
      return next.handle(call);
    }
    CallerContext.Scope scope = contexts.next().open();
    try {
      return within(contexts, call, next);
    } finally {
      scope.close();
    }
  }
}
