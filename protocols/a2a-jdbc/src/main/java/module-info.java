/** The tasks of agents of the Agent2Agent protocol in a database. */
module dev.repartee.a2a.jdbc {
  requires transitive dev.repartee.a2a;
  requires transitive java.sql;
  requires static transitive org.jspecify;

  exports dev.repartee.a2a.jdbc;
}
