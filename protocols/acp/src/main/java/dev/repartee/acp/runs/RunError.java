package dev.repartee.acp.runs;

import dev.repartee.json.Json;
import dev.repartee.json.UnknownMembers;
import java.util.Optional;

/**
 * An error of a run or of a request.
 *
 * @param code {@code server_error}, {@code invalid_input} or {@code not_found}
 */
@UnknownMembers.Policy(UnknownMembers.IGNORE)
public record RunError(String code, String message, Optional<Json> data) {
  static RunError of(String code, String message) {
    return new RunError(code, message, Optional.empty());
  }
}
