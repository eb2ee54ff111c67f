package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.jdbc.TaskDatabase;
import dev.repartee.a2a.server.Turn;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Task;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;

/** Runs the code of protocols/a2a-jdbc/README.md, and of docs/a2a.md about databases. */
class A2aJdbcTourTest {
  @Test
  void aTaskIsKeptInADatabase() throws Exception {
    JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:tour", "sa", "");
    AgentCard card = AgentCard.builder("Echo", "Repeats messages", "1.0.0")
        .pushNotifications()
        .build();
    try (Server server =
            A2aJdbcTour.server(card, Turn::complete, pool).listen("http://127.0.0.1:0/");
        A2aClient client = A2aClient.connect(server.endpoint().toString())) {
      Task task = (Task) client.send(Message.user("hi"));
      TaskDatabase database = TaskDatabase.open(pool);
      A2aJdbcTour.cleanUp(database);
      assertThat(database.tasks().find(task.id())).isNotNull();
    } finally {
      pool.dispose();
    }
  }
}
