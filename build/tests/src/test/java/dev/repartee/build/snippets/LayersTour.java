package dev.repartee.build.snippets;

import dev.repartee.*;
import dev.repartee.json.Json;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attribute;
import dev.repartee.validation.ValidationLayer;
import jakarta.validation.Valid;
import jakarta.validation.ValidatorFactory;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The code of docs/layers.md and binding/validation/README.md. */
final class LayersTour {
  private LayersTour() {}

  static Layer metrics(Map<String, LongAdder> counts) {
    Layer metrics = Layer.timing((call, duration, failure) -> {
      String method = call.rpcMethod() == null ? "unknown" : call.method();
      String name = method + (failure == null ? ".ok" : ".failed");
      counts.computeIfAbsent(name, n -> new LongAdder()).increment();
      counts
          .computeIfAbsent(method + ".micros", n -> new LongAdder())
          .add(duration.toNanos() / 1000);
    });
    return metrics;
  }

  static final Attribute<Set<String>> ROLES = Attribute.named("roles");

  record Identity(Function<String, @Nullable Set<String>> rolesOf) implements Layer {
    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      String given = call.header("Authorization");
      Set<String> roles = given == null ? null : rolesOf.apply(given);
      if (roles == null) {
        call.responseHeader("WWW-Authenticate", "Bearer");
        throw new RpcException(401, "Unauthorized");
      }
      call.set(ROLES, roles);
      return next.handle(call);
    }
  }

  @Retention(RetentionPolicy.RUNTIME)
  @interface Allowed {
    String[] value();
  }

  static final class RoleCheck implements Layer {
    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      Allowed allowed = call.annotation(Allowed.class);
      Set<String> roles = call.attributes().get(ROLES);
      if (allowed == null
          || roles == null
          || Collections.disjoint(roles, List.of(allowed.value()))) {
        throw new RpcException(403, "Forbidden");
      }
      return next.handle(call);
    }
  }

  record Order(@NotBlank String item, @Positive int size) {}

  @Allowed({"customer", "clerk"})
  static class Shop {
    public int place(@Valid Order order) {
      return order.size();
    }

    @Allowed("clerk")
    public @Positive int price(@NotBlank String item) {
      return item.length() - 3;
    }
  }

  static Options options(
      Map<String, LongAdder> counts,
      Function<String, @Nullable Set<String>> rolesOf,
      ValidatorFactory factory) {
    Options options = Options.builder()
        .dialect(Dialect.withHttpStatuses(401, 403))
        .layer(metrics(counts))
        .layer(new Identity(rolesOf))
        .layer(new RoleCheck())
        .layer(new ValidationLayer(factory))
        .build();
    return options;
  }

  static Options audited(List<String> log) {
    Options options = Options.builder()
        .layer((call, next) -> {
          log.add("begin " + call.method());
          return Layer.whenDone(
              call, next, (result, failure) -> log.add("end " + call.method() + " " + failure));
        })
        .build();
    return options;
  }

  record Retry(int times) implements Layer {
    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      return next.handle(call) instanceof CompletionStage<?> answer
          ? repeated(answer, call, next, times)
          : null; // a notification
    }

    private static CompletionStage<Object> repeated(
        CompletionStage<?> answer, Call call, Handler next, int left) {
      return answer
          .<Object>thenApply(result -> result)
          .exceptionallyCompose(failure -> isBusy(failure) && left > 0
              ? again(call, next, left - 1)
              : CompletableFuture.failedStage(failure));
    }

    private static CompletionStage<Object> again(Call call, Handler next, int left) {
      try {
        Object answer = next.handle(call);
        return repeated((CompletionStage<?>) answer, call, next, left);
      } catch (Exception e) {
        return CompletableFuture.failedStage(e);
      }
    }

    private static boolean isBusy(Throwable failure) {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      return cause instanceof RpcException error && error.code() == RpcError.BUSY;
    }
  }

  record Signed(String token, @Nullable Json params) {}

  record Token(String token) implements Layer {
    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      return next.handle(call.with(Json.of(new Signed(token, call.params()))));
    }
  }
}
