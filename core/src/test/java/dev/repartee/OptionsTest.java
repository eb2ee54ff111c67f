package dev.repartee;

import static dev.repartee.Options.Builtin.CANCEL;
import static dev.repartee.transport.Lenience.NULL_PARAMS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.access.Access;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.Naming;
import dev.repartee.json.UnknownMembers;
import dev.repartee.limits.Limits;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import dev.repartee.trace.Trace;
import dev.repartee.transport.Headers;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private static final Layer LAYER = (call, next) -> next.handle(call);
  private static final Function<Throwable, @Nullable RpcError> ERRORS = cause -> null;
  private static final Access ACCESS = Access.builder().deny("x").build();
  private static final Limits LIMITS = Limits.builder().batch(7).build();
  private static final Dialect DIALECT = new Dialect() {};
  private static final JsonTypes TYPES = JsonTypes.standard().naming(Naming.SNAKE_CASE);
  private static final Deadlines DEADLINES = Deadlines.DEFAULT.shedding(true);
  private static final Executor EXECUTOR = task -> {};
  private static final Listener LISTENER = new Listener() {};
  private static final Trace TRACE = Trace.builder().to(entry -> {});

  private record Change(String option, Object value, UnaryOperator<Options.Builder> change) {}

  private static final List<Change> CHANGES = List.of(
      new Change("limits", LIMITS, options -> options.limits(LIMITS)),
      new Change("dialect", DIALECT, options -> options.dialect(DIALECT)),
      new Change("lenience", Set.of(NULL_PARAMS), options -> options.lenience(NULL_PARAMS)),
      new Change("builtins", Set.of(CANCEL), options -> options.builtins(CANCEL)),
      new Change("layers", List.of(LAYER), options -> options.layer(LAYER)),
      new Change("callLayers", List.of(LAYER), options -> options.callLayer(LAYER)),
      new Change("exceptionMapper", ERRORS, options -> options.exceptionMapper(ERRORS)),
      new Change("types", TYPES, options -> options.types(TYPES)),
      new Change("listener", LISTENER, options -> options.listener(LISTENER)),
      new Change(
          "unknownParams",
          UnknownMembers.IGNORE,
          options -> options.unknownParams(UnknownMembers.IGNORE)),
      new Change(
          "unknownResults",
          UnknownMembers.REFUSE,
          options -> options.unknownResults(UnknownMembers.REFUSE)),
      new Change("access", ACCESS, options -> options.access(ACCESS)),
      new Change("deadlines", DEADLINES, options -> options.deadlines(rules -> DEADLINES)),
      new Change("executor", EXECUTOR, options -> options.executor(EXECUTOR)),
      new Change("trace", TRACE, options -> options.trace(TRACE)),
      new Change("headers", Headers.NONE.with("X-A", "7"), options -> options.header("X-A", "7")));

  @Test
  void copyDiffersInOneOptionOnly() throws Exception {
    Map<String, Object> defaults = values(Options.DEFAULT);
    assertThat(CHANGES).extracting(Change::option).hasSameElementsAs(defaults.keySet());
    for (Change change : CHANGES) {
      Options changed = change.change.apply(Options.DEFAULT.toBuilder()).build();
      Map<String, Object> expected = new HashMap<>(defaults);
      expected.put(change.option, change.value);
      assertThat(values(changed.toBuilder().build())).isEqualTo(expected);
    }
  }

  @Test
  void optionsDoNotChangeWithTheirBuilder() {
    Options.Builder builder = Options.builder().layer(LAYER);
    Options built = builder.build();
    builder.layer(LAYER);
    built.toBuilder().layer(LAYER).limits(LIMITS);
    assertThat(built.layers()).containsExactly(LAYER);
    assertThat(built.limits()).isSameAs(Limits.DEFAULT);
  }

  @Test
  void aChangeOfTheLimitsStartsWithThePresentOnes() {
    Options options =
        Options.builder().limits(LIMITS).limits(limits -> limits.depth(3)).build();
    assertThat(options.limits().batch()).isEqualTo(7);
    assertThat(options.limits().depth()).isEqualTo(3);
  }

  private static Map<String, Object> values(Options options) throws ReflectiveOperationException {
    Map<String, Object> values = new HashMap<>();
    for (Method method : Options.class.getDeclaredMethods()) {
      if (method.getParameterCount() == 0
          && Modifier.isPublic(method.getModifiers())
          && !Modifier.isStatic(method.getModifiers())
          && method.getReturnType() != Options.Builder.class) {
        values.put(method.getName(), method.invoke(options));
      }
    }
    return values;
  }
}
