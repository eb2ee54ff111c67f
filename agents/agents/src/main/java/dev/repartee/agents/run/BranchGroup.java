package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import dev.repartee.agents.internal.Causes;
import dev.repartee.json.Json;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A group of branches: the first failure cancels the others. Thread-safe. */
final class BranchGroup {
  private final CancellationScope inner;
  private final AtomicReference<@Nullable StepException> first = new AtomicReference<>();

  /** Creates a group. The cancellation of {@code outer} also cancels its branches. */
  BranchGroup(CancellationScope outer) {
    this.inner = outer.child();
  }

  /** Returns the scope of the branches. */
  CancellationScope scope() {
    return inner;
  }

  /** Adds a branch: if it fails, the others are cancelled. Keeps the first failure. */
  CompletableFuture<Json> add(CompletableFuture<Json> branch) {
    return branch.whenComplete((output, failure) -> {
      if (failure != null
          && Causes.of(failure) instanceof StepException failed
          && inner.reason() == null // otherwise the cancellation has caused the failure
          && first.compareAndSet(null, failed)) {
        inner.cancel(new Failure(
            Failure.Kind.CANCELLED, "cancelled, because " + failed.failure().message()));
      }
    });
  }

  /** Returns a future that completes after all branches; it fails with the first failure. */
  CompletableFuture<@Nullable Void> all(Collection<CompletableFuture<Json>> branches) {
    return CompletableFuture.allOf(branches.toArray(new CompletableFuture<?>[0]))
        .handle((nothing, failure) -> {
          inner.end();
          StepException failed = first.get();
          if (failed != null) {
            throw failed;
          } else if (failure != null) {
            throw new CompletionException(Causes.of(failure)); // the enclosing step was cancelled
          }
          return null;
        });
  }
}
