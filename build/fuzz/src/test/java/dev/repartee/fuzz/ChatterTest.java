package dev.repartee.fuzz;

import org.junit.jupiter.api.Test;

class ChatterTest {
  private static final int MESSAGES = 20_000;

  @Test
  void aMessageIsReadAsJacksonReadsItAfterAnyOtherMessages() {
    Chatter chatter = new Chatter(20_100_326);
    for (int i = 0; i < MESSAGES; i++) {
      chatter.next();
    }
  }
}
