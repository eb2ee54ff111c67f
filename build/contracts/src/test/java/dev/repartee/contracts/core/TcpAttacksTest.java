package dev.repartee.contracts.core;

import dev.repartee.testkit.contract.AttackContract;
import org.junit.jupiter.api.Tag;

@Tag("ci")
class TcpAttacksTest extends AttackContract {
  TcpAttacksTest() {
    super("tcp://127.0.0.1:0", "tcp");
  }
}
