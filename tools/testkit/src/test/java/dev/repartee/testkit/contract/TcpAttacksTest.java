package dev.repartee.testkit.contract;

import org.junit.jupiter.api.Tag;

@Tag("ci")
class TcpAttacksTest extends AttackContract {
  TcpAttacksTest() {
    super("tcp://127.0.0.1:0", "tcp");
  }
}
