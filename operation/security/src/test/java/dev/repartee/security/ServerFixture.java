package dev.repartee.security;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A server over HTTP for one test. */
abstract class ServerFixture {
  private @Nullable Server server;

  Server listen(Service service, Options options) throws IOException {
    Server listening = Repartee.listen("http://127.0.0.1:0/", service, options);
    server = listening;
    return listening;
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }
}
