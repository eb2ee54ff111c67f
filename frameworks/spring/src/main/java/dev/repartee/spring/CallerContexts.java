package dev.repartee.spring;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import java.util.ArrayDeque;
import java.util.Deque;
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
    return Attributes.of(CAPTURED, contexts.stream().map(CallerContext::capture).toList());
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    List<CallerContext.Captured> captured = call.attributes().get(CAPTURED);
    if (captured == null) {
      return next.handle(call);
    }
    Deque<CallerContext.Scope> scopes = new ArrayDeque<>();
    try {
      captured.forEach(context -> scopes.push(context.open()));
      return next.handle(call);
    } finally {
      scopes.forEach(CallerContext.Scope::close);
    }
  }
}
