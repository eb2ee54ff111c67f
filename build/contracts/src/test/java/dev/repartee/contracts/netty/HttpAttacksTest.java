package dev.repartee.contracts.netty;

import dev.repartee.testkit.contract.AttackContract;
import org.junit.jupiter.api.Tag;

@Tag("ci")
class HttpAttacksTest extends AttackContract {
  HttpAttacksTest() {
    super("http://127.0.0.1:0/", "http");
  }
}
