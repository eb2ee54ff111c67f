package dev.repartee.lsp;

import dev.repartee.Dialect;
import org.jspecify.annotations.Nullable;

/**
 * The dialect of LSP: calls are cancelled by {@code $/cancelRequest}, and a cancelled call is
 * answered. Progress has tokens of its own, so it is none of the engine.
 */
final class LspDialect implements Dialect {
  static final LspDialect INSTANCE = new LspDialect();

  private LspDialect() {}

  @Override
  public String cancelMethod() {
    return "$/cancelRequest";
  }

  @Override
  public @Nullable String progressMethod() {
    return null;
  }
}
