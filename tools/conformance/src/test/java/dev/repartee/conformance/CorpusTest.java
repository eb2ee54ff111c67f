package dev.repartee.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class CorpusTest {
  @Test
  void everyCaseHasATitleOfItsOwnAndAClause() {
    List<Trial> trials = Corpus.servers();
    assertThat(trials).hasSizeGreaterThan(400).allSatisfy(trial -> {
      assertThat(trial.tested().clause()).isNotBlank();
      assertThat(trial.steps()).isNotEmpty();
    });
    assertThat(trials.stream().map(t -> t.tested().toString())).doesNotHaveDuplicates();
    assertThat(ClientCheck.of("true").cases().stream().map(Case::toString)).doesNotHaveDuplicates();
  }

  @Test
  void everyExpectationCanBeRead() {
    for (Trial trial : Corpus.servers()) {
      for (Step step : trial.steps()) {
        assertThat(Expectation.of(step.expected()).toString())
            .as(trial.tested().toString())
            .isNotBlank();
      }
    }
  }

  @Test
  void onlySilenceIsSatisfiedByNoAnswer() {
    for (Trial trial : Corpus.servers()) {
      for (Step step : trial.steps()) {
        Expectation owed = Expectation.of(step.expected());
        boolean silence = owed.judge(List.of(), true).isRight();
        assertThat(silence)
            .as(trial.tested().toString())
            .isEqualTo(owed instanceof Expectation.Silence
                || step.expected().toString().contains("[null,"));
      }
    }
  }

  @Test
  void aCutOffRequestIsTriedAfterEachOfItsBytes() {
    Trial cut = Corpus.servers().stream()
        .filter(trial -> trial.tested().name().startsWith("a request cut off"))
        .findFirst()
        .orElseThrow();
    for (int i = 0; i < cut.steps().size(); i++) {
      Say.Message said = (Say.Message) cut.steps().get(i).says().get(0);
      assertThat(said.text()).hasSize(i + 1);
    }
    assertThat(cut.steps().get(0).expected())
        .isEqualTo(Json.parse("{\"error\":-32700,\"id\":null}"));
  }
}
