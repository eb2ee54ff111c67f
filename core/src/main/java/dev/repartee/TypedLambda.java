package dev.repartee;

import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.UnknownMembers;
import java.lang.reflect.Type;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The handler of a lambda with typed params. */
record TypedLambda(WholeParams whole, TypedHandler<@Nullable Object, ?> handler)
    implements BindingHandler {
  /**
   * Returns the definition of a method with this kind of handler.
   *
   * @throws IllegalArgumentException if a type cannot be bound to JSON, or an example does not fit
   */
  @SuppressWarnings("unchecked") // the result type only writes results of the handler
  static RpcMethod.Definition define(
      String name,
      Type params,
      Type result,
      TypedHandler<?, ?> handler,
      MethodDocs docs,
      JsonTypes types) {
    WholeParams whole;
    try {
      whole = new WholeParams(types.of(params)).requireStructured();
      docs.requireTypes(types);
      docs.examples()
          .forEach(example -> example.requireFit(
              given -> whole.read(given, UnknownMembers.REFUSE), types.of(result)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the method '" + name + "': " + e.getMessage(), e);
    }
    return new RpcMethod.Definition(
        RpcMethod.Parameter.of(whole),
        (JsonType<@Nullable Object>) types.of(result),
        new Execution.OfHandler(
            new TypedLambda(whole, (TypedHandler<@Nullable Object, ?>) handler)),
        types);
  }

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
