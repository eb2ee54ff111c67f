package dev.repartee.build.snippets;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.trace.Entry;
import dev.repartee.trace.Mask;
import dev.repartee.trace.Recording;
import dev.repartee.trace.Trace;
import java.io.IOException;
import java.nio.file.Path;

/** The code of docs/recording.md. */
final class TraceTour {
  private TraceTour() {}

  static void record(String uri, Service service, Path file) throws IOException {
    try (Trace trace = Trace.builder().mask(Mask.VALUES).file(file)) {
      Options traced = Options.builder().trace(trace).build();
      try (Server server = Repartee.listen(uri, service, traced);
          Peer peer = Repartee.connect(server.endpoint())) {
        peer.call("sum", Json.class, 1, 2, 4);
      }
    }
  }

  static void read(Path file) throws IOException {
    try (Recording recording = Recording.read(file)) {
      recording.entries().forEach(entry -> {
        if (entry instanceof Entry.Frame frame) {
          System.out.println(frame.direction().label() + " " + frame.message());
        }
      });
    }
  }
}
