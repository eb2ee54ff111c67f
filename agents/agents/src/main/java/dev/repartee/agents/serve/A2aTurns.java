package dev.repartee.agents.serve;

import dev.repartee.a2a.server.Turn;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.agents.Failure;
import dev.repartee.agents.serve.OpenTask.Asked;
import dev.repartee.json.Json;
import dev.repartee.limits.ClientShares;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;

/** Serves an agent over A2A. A question puts the A2A task into the state input-required. */
final class A2aTurns implements dev.repartee.a2a.server.Agent {
  private final OpenTasks tasks;

  A2aTurns(OpenTasks tasks) {
    this.tasks = tasks;
  }

  @Override
  public void handle(Turn turn) {
    String id = turn.taskId();
    OpenTask task = tasks.find(id);
    if (task != null) {
      answer(task, turn);
    } else if (turn.request().message().taskId() != null) {
      turn.fail("the run of this task has ended; send the message without its task id");
      return;
    } else {
      turn.working();
      String remote = turn.call().channel().remote();
      task = tasks.start(id, ClientShares.client(turn.client(), remote), null, input(turn));
      if (task == null) {
        turn.reject("too many tasks are running; send the message later");
        return;
      }
    }
    OpenTask open = task;
    open.enter(report -> {
      try {
        turn.working(report.toString());
      } catch (RuntimeException e) {
        // The turn has ended: the client gets no more progress.
      }
    });
    turn.cancellation().onCancel(open::cancel);
    serve(turn, open);
  }

  private static void serve(Turn turn, OpenTask task) {
    Asked question = task.next().join();
    if (question != null) {
      task.leave();
      Message asking = Message.agent(question.text());
      question.ask(asking.messageId());
      turn.status(TaskState.INPUT_REQUIRED, asking);
      return;
    }
    try {
      Json output = task.output().join();
      turn.artifact(Artifact.of(
          "output",
          output.kind() == Json.Kind.STRING
              ? Part.text(output.as(String.class))
              : Part.data(output)));
      turn.complete();
    } catch (CancellationException e) {
      throw e; // the task of A2A is cancelled already
    } catch (CompletionException e) {
      turn.fail(RpcCalls.told(Failure.of(e)));
    }
  }

  @Override
  public void sending(String taskId, TaskStatus status) {
    OpenTask task = tasks.find(taskId);
    Message asking = status.message();
    Asked question = task == null ? null : task.shown();
    if (question != null && asking != null) {
      question.sending(asking.messageId());
    }
  }

  private static void answer(OpenTask task, Turn turn) {
    Asked question = task.shown();
    if (question != null) {
      question.receive(content(turn.message().parts()), turn.arrival());
    }
  }

  /** Returns the data of a single part, or the text of parts of text only; null for others. */
  private static Json content(List<Part> parts) {
    if (parts.size() == 1 && parts.get(0) instanceof Part.Data data) {
      return data.data();
    }
    return parts.stream().allMatch(Part.Text.class::isInstance)
        ? Json.of(String.join(
            "\n", parts.stream().map(part -> ((Part.Text) part).text()).toList()))
        : Json.NULL;
  }

  /** Returns the input of a message: the data of a single part, otherwise its text. */
  private static Json input(Turn turn) {
    return turn.message().parts().size() == 1
            && turn.message().parts().get(0) instanceof Part.Data data
        ? data.data()
        : Json.of(turn.message().text());
  }
}
