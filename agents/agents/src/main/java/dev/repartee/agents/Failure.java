package dev.repartee.agents;

import dev.repartee.CallTimeoutException;
import dev.repartee.ProtocolException;
import dev.repartee.ReparteeException;
import dev.repartee.RpcException;
import dev.repartee.agents.internal.Causes;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.util.concurrent.CancellationException;

/**
 * The reason for the failure of a task, a step or a run.
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
    /** A human has refused a question, or there was no human to answer it. */
    REFUSED(false),
    /** A reference in the input of the step has no value, or no agent has the skill. */
    INPUT(false),
    /** The budget of the run is used up. */
    BUDGET(false),
    /** The task was cancelled. */
    CANCELLED(false),
    /** The run was interrupted during the step; the outcome of the step is unknown. */
    UNKNOWN_OUTCOME(false),
    /** The journal cannot record the progress of the run. */
    JOURNAL(false),
    /** An agent in this process, or the orchestrator itself, has thrown an exception. */
    INTERNAL(true);

    private final boolean isTransient;

    Kind(boolean isTransient) {
      this.isTransient = isTransient;
    }

    /** Returns whether a later attempt may succeed. */
    public boolean isTransient() {
      return isTransient;
    }

    /** Returns whether the failure ends the run even if the plan allows the step to fail. */
    public boolean isFatal() {
      return this == BUDGET || this == JOURNAL;
    }
  }

  /** Converts an exception to a failure. */
  public static Failure of(Throwable thrown) {
    Throwable e = Causes.of(thrown);
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    if (e instanceof AgentException known) {
      return known.failure();
    } else if (e instanceof CallTimeoutException) {
      return new Failure(Kind.TIMEOUT, message);
    } else if (e instanceof IOException || ReparteeException.isUnsent(e)) {
      return new Failure(Kind.UNREACHABLE, message);
    } else if (e instanceof RpcException || e instanceof LimitException) {
      return new Failure(Kind.ERROR, message);
    } else if (e instanceof DisconnectedException) {
      return new Failure(Kind.LOST, message);
    } else if (e instanceof ProtocolException || e instanceof JsonException) {
      return new Failure(Kind.PROTOCOL, message);
    } else if (e instanceof CancellationException || e instanceof InterruptedException) {
      return new Failure(Kind.CANCELLED, "the task was cancelled");
    }
    return new Failure(Kind.INTERNAL, e.getClass().getSimpleName() + ": " + message);
  }
}
