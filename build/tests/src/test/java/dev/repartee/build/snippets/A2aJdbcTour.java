package dev.repartee.build.snippets;

import dev.repartee.a2a.jdbc.TaskDatabase;
import dev.repartee.a2a.push.PushNotifications;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.server.Agent;
import dev.repartee.a2a.types.AgentCard;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;

/** The code of protocols/a2a-jdbc/README.md, and of docs/a2a.md about databases. */
final class A2aJdbcTour {
  private A2aJdbcTour() {}

  static A2aServer server(AgentCard card, Agent agent, DataSource dataSource) {
    TaskDatabase database = TaskDatabase.open(dataSource);
    return A2aServer.builder(card)
        .agent(agent)
        .store(database.tasks())
        .push(PushNotifications.builder().store(database.pushConfigs()).build())
        .build();
  }

  static void cleanUp(TaskDatabase database) {
    database.removeEnded(Instant.now().minus(Duration.ofDays(30)));
  }
}
