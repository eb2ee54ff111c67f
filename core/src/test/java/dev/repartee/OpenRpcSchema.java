package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.repartee.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Objects;

/** Checks OpenRPC documents against the meta-schema of OpenRPC 1.4. */
final class OpenRpcSchema {
  private static final String DRAFT = "http://json-schema.org/draft-07/schema#";
  private static final Validator VALIDATOR = new ValidatorFactory().createValidator();
  private static final URI SCHEMA = VALIDATOR.registerSchema(text());

  private OpenRpcSchema() {}

  /** Returns the schema, with the draft under its usual address. */
  private static String text() {
    try (InputStream in = Objects.requireNonNull(
        OpenRpcSchema.class.getResourceAsStream("openrpc-schema-1.4.json"))) {
      return new String(in.readAllBytes(), UTF_8)
          .replaceAll(
              "https://meta\\.json-schema\\.tools/?(#/definitions/JSONSchemaObject)?", DRAFT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the document, if it is valid and all its references have targets. */
  static Json valid(Json document) {
    Validator.Result result = VALIDATOR.validate(SCHEMA, document.toString());
    String faults = String.join(
        "\n",
        result.getErrors().stream()
            .map(e -> e.getInstanceLocation() + ": " + e.getError())
            .toList());
    assertThat(result.isValid()).as(document + "\n" + faults).isTrue();
    requireTargets(document, document);
    return document;
  }

  private static void requireTargets(Json document, Json part) {
    if (part.kind() == Json.Kind.ARRAY) {
      part.elements().forEach(element -> requireTargets(document, element));
    } else if (part.kind() == Json.Kind.OBJECT) {
      String reference = part.string("$ref");
      if (reference != null) {
        String start = "#/components/schemas/";
        assertThat(reference).startsWith(start);
        Json schemas = Objects.requireNonNull(
            Objects.requireNonNull(document.get("components")).get("schemas"));
        assertThat(schemas.get(reference.substring(start.length())))
            .as(reference)
            .isNotNull();
      }
      part.members().values().forEach(member -> requireTargets(document, member));
    }
  }
}
