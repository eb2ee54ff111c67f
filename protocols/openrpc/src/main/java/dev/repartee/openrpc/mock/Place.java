package dev.repartee.openrpc.mock;

import dev.repartee.internal.JsonPointer;
import dev.repartee.json.Json;

/** A schema with its JSON pointer in the document. */
record Place(Json schema, String pointer) {
  /** Returns a part of this schema. */
  Place at(Object token, Json part) {
    return new Place(part, pointer + '/' + JsonPointer.escaped(token.toString()));
  }
}
