package dev.repartee.netty;

import dev.repartee.testkit.contract.AttackContract;

class WebSocketAttacksTest extends AttackContract {
  WebSocketAttacksTest() {
    super("http://127.0.0.1:0/", "ws");
  }
}
