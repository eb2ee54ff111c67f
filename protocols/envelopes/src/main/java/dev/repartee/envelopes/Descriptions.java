package dev.repartee.envelopes;

import dev.repartee.json.Json;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Reads the OpenRPC documents of the protocols with their own envelope. */
final class Descriptions {
  private Descriptions() {}

  static Json read(String name) {
    try (InputStream in = Descriptions.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new FileNotFoundException(name);
      }
      return Json.parse(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
