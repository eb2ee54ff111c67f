package dev.repartee.build.snippets;

import static dev.repartee.Deadlines.Field.HEADER;
import static dev.repartee.Deadlines.Field.META;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The code of docs/deadlines.md. */
final class DeadlinesTour {
  private DeadlinesTour() {}

  static Peer connect(String uri) throws IOException {
    Options options = Options.builder().deadlines(rules -> rules.send(HEADER)).build();
    return Repartee.connect(uri, options);
  }

  static Options server() {
    return Options.builder()
        .limits(limits -> limits.handlerTimeout(Duration.ofSeconds(10)))
        .deadlines(rules -> rules.accept(HEADER, META).shedding(true))
        .build();
  }

  static CompletionStage<String> report(Call call, Peer prices, CompletionStage<String> city) {
    return city.thenCompose(
        name -> prices.request("price").args(name).within(call).send(String.class));
  }
}
