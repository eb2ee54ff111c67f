package dev.repartee;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The handler of a lambda with typed params. */
record TypedLambda(WholeParams whole, TypedHandler<@Nullable Object, ?> handler)
    implements BindingHandler {
  @Override
  public @Nullable Object[] bind(Call call) {
    return new @Nullable Object[] {whole.read(call.params(), call.unknownParams()), call};
  }

  @Override
  public @Nullable Object run(@Nullable Object[] arguments) throws Exception {
    return handler.handle(arguments[0], (Call) Objects.requireNonNull(arguments[1]));
  }

  @Override
  public String argumentName(Call call, int index) {
    return "";
  }
}
