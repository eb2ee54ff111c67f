package dev.repartee.agents;

import dev.repartee.CallTimeoutException;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * The reason why a task, a step or a run has failed.
 *
 * @param kind the kind of the failure
 * @param message the reason, in a sentence for people
 */
public record Failure(Kind kind, String message) {
  /** The kinds of failures. */
  public enum Kind {
    /** The agent has answered with an error. */
    ERROR(true),
    /** The agent has not answered in time. */
    TIMEOUT(true),
    /** The connection or the process of the agent has ended. The task may have taken effect. */
    LOST(true),
    /** The agent cannot be reached. */
    UNREACHABLE(true),
    /** The agent has broken its protocol. */
    PROTOCOL(true),
    /** The output does not fit its schema. */
    SCHEMA(true),
    /** A human has refused, or nobody has granted a permission. */
    REFUSED(false),
    /** The input of the step cannot be made, or no agent has the skill. */
    INPUT(false),
    /** The budget of the run is used up. */
    BUDGET(false),
    /** The task was cancelled. */
    CANCELLED(false),
    /** The step was started before the run was interrupted, and it is not known how it ended. */
    UNKNOWN_OUTCOME(false),
    /** The journal cannot record the progress of the run, which fails in any case. */
    JOURNAL(false),
    /** The code of an agent in this process, or of the orchestrator, has failed. */
    INTERNAL(true);

    private final boolean isTransient;

    Kind(boolean isTransient) {
      this.isTransient = isTransient;
    }

    /** Returns whether a later attempt may succeed. */
    public boolean isTransient() {
      return isTransient;
    }

    /** Returns whether the run fails although its plan allows the step to fail. */
    public boolean isFatal() {
      return this == BUDGET || this == JOURNAL;
    }
  }

  /** Returns the failure that an exception stands for. */
  public static Failure of(Throwable thrown) {
    Throwable e = thrown;
    while ((e instanceof CompletionException || e instanceof ExecutionException)
        && e.getCause() != null) {
      e = e.getCause();
    }
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    if (e instanceof AgentException known) {
      return known.failure();
    } else if (e instanceof RpcException || e instanceof LimitException) {
      return new Failure(Kind.ERROR, message);
    } else if (e instanceof CallTimeoutException) {
      return new Failure(Kind.TIMEOUT, message);
    } else if (e instanceof DisconnectedException) {
      return new Failure(Kind.LOST, message);
    } else if (e instanceof ProtocolException || e instanceof JsonException) {
      return new Failure(Kind.PROTOCOL, message);
    } else if (e instanceof IOException) {
      return new Failure(Kind.UNREACHABLE, message);
    } else if (e instanceof CancellationException || e instanceof InterruptedException) {
      return new Failure(Kind.CANCELLED, "the task was cancelled");
    }
    return new Failure(Kind.INTERNAL, e.getClass().getSimpleName() + ": " + message);
  }
}
