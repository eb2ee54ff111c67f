package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class HttpStatusesTest {
  private final Dialect dialect = Dialect.withHttpStatuses(401, 429);

  @Test
  void theNamedErrorsAreStatuses() {
    assertThat(dialect.httpStatus(OptionalInt.of(401))).isEqualTo(401);
    assertThat(dialect.httpStatus(OptionalInt.of(429))).isEqualTo(429);
  }

  @Test
  void everythingElseHasTheStatus200() {
    assertThat(dialect.httpStatus(OptionalInt.empty())).isEqualTo(200);
    assertThat(dialect.httpStatus(OptionalInt.of(403))).isEqualTo(200);
    assertThat(dialect.httpStatus(OptionalInt.of(RpcError.METHOD_NOT_FOUND))).isEqualTo(200);
  }

  @Test
  void anotherCodeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Dialect.withHttpStatuses(401, RpcError.INVALID_PARAMS))
        .withMessageContaining("-32602");
  }
}
