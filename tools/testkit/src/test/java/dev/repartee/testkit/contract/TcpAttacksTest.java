package dev.repartee.testkit.contract;

class TcpAttacksTest extends AttackContract {
  TcpAttacksTest() {
    super("tcp://127.0.0.1:0", "tcp");
  }
}
