package dev.repartee.agents.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Question;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.agents.serve.OpenTask.Asked;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OpenTaskTest {
  @Test
  void twoCallsThatWaitGetTheSameQuestion() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    Agent asking = LocalAgent.named("asking")
        .skill("ask", task -> {
          waiting.await();
          return task.ask("asking", "May I?", null).toCompletableFuture().get().granted();
        })
        .build();
    OpenTask task = new OpenTask(asking, "1", null, Json.NULL, use -> {});
    CompletableFuture<Asked> one = task.next();
    CompletableFuture<Asked> two = task.next();

    waiting.countDown();

    Asked question = one.get(60, TimeUnit.SECONDS);
    assertThat(question.question().message()).isEqualTo("May I?");
    assertThat(two.get(60, TimeUnit.SECONDS)).isEqualTo(question);
    question.answer().complete(Answer.agreed());
    assertThat(task.output().get(60, TimeUnit.SECONDS)).isEqualTo(Json.TRUE);
    assertThat(task.next().get(60, TimeUnit.SECONDS)).isNull();
  }

  @Test
  void aReportBeforeTheFirstCallReachesItOnce() {
    Agent reporting = LocalAgent.named("reporting")
        .skill("report", task -> {
          task.progress(Progress.of("begun"));
          return null;
        })
        .build();
    OpenTask task = new OpenTask(reporting, "1", null, Json.NULL, use -> {});
    task.output().join();
    List<String> reports = new ArrayList<>();

    task.enter(report -> reports.add("first: " + report));
    task.enter(report -> reports.add("second: " + report));

    assertThat(reports).containsExactly("first: " + Progress.of("begun"));
  }

  @Test
  void aLateAnswerDoesNotCountForAQuestionThatTheClientHasNotSeen() throws Exception {
    CountDownLatch expired = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    Agent asking = LocalAgent.named("asking")
        .skill("ask", task -> {
          CompletableFuture<Answer> one = task.ask("asking", "One?", null).toCompletableFuture();
          expired.await();
          one.cancel(true);
          CompletableFuture<Answer> two = task.ask("asking", "Two?", null).toCompletableFuture();
          second.countDown();
          return two.get().granted();
        })
        .build();
    OpenTask task = new OpenTask(asking, "1", null, Json.NULL, use -> {});
    assertThat(task.next().get(60, TimeUnit.SECONDS).question().message()).isEqualTo("One?");

    expired.countDown();
    second.await();

    assertThat(task.shown()).isNull();
    Asked two = task.next().get(60, TimeUnit.SECONDS);
    assertThat(two.question().message()).isEqualTo("Two?");
    assertThat(task.shown()).isEqualTo(two);
    two.answer().complete(Answer.refused("no"));
    assertThat(task.output().get(60, TimeUnit.SECONDS)).isEqualTo(Json.FALSE);
  }

  @Test
  void anAnswerCountsOnlyForAQuestionThatWasSentBeforeItArrived() throws Exception {
    Asked question = new Asked("1", new Question("t", null, "Dangerous second?", null));
    question.receive(Json.of("yes"), System.nanoTime());
    assertThat(question.answer()).isNotDone(); // the client was not asked
    question.ask("m2");
    question.sending("m1"); // another question
    question.receive(Json.of("yes"), System.nanoTime());
    assertThat(question.answer()).isNotDone(); // no client got the question

    long early = System.nanoTime() - 1;
    question.sending("m2");
    question.receive(Json.of("yes"), early);
    assertThat(question.answer()).isNotDone();
    question.receive(Json.of("yes"), System.nanoTime());
    assertThat(question.answer().get().granted()).isTrue();
  }
}
