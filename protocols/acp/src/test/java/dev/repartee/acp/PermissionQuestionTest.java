package dev.repartee.acp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.acp.types.CancelledPermissionOutcome;
import dev.repartee.acp.types.PermissionOption;
import dev.repartee.acp.types.PermissionOptionKind;
import dev.repartee.acp.types.PermissionToolCall;
import dev.repartee.acp.types.RequestPermissionOutcome;
import dev.repartee.acp.types.RequestPermissionRequest;
import dev.repartee.acp.types.SelectedPermissionOutcome;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PermissionQuestionTest {
  private static PermissionQuestion question(PermissionOptionKind... kinds) {
    return new PermissionQuestion(new RequestPermissionRequest(
        "s",
        new PermissionToolCall("t"),
        Stream.of(kinds)
            .map(kind -> new PermissionOption(kind.value(), "any name", kind))
            .toList()));
  }

  private static RequestPermissionOutcome selected(PermissionOptionKind kind) {
    return new SelectedPermissionOutcome(kind.value());
  }

  @Test
  void oneConsentNeverBecomesAStandingPermission() {
    PermissionOptionKind always = PermissionOptionKind.ALLOW_ALWAYS;
    PermissionOptionKind once = PermissionOptionKind.ALLOW_ONCE;
    PermissionOptionKind reject = PermissionOptionKind.REJECT_ONCE;
    assertThat(question(always, once, reject).allow()).isEqualTo(selected(once));
    assertThat(question(always, reject).allow()).isEqualTo(selected(reject));
    assertThat(question(always, PermissionOptionKind.REJECT_ALWAYS).allow())
        .isInstanceOf(CancelledPermissionOutcome.class);
    assertThat(question(always).select(always.value())).isEqualTo(selected(always));
  }
}
