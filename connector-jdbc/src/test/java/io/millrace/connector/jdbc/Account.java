package io.millrace.connector.jdbc;

import java.io.Serializable;

/** A record of the tests; with negative cents it deletes the row of its id. */
record Account(long id, String owner, long cents) implements Serializable {
  private static final long serialVersionUID = 1L;

  static JdbcTable<Account> upserts(String table) {
    return JdbcTable.<Account>named(table)
        .key("id", Account::id)
        .column("owner", Account::owner)
        .column("cents", Account::cents)
        .deleteWhen(account -> account.cents() < 0);
  }

  static JdbcTable<Account> inserts(String table) {
    return JdbcTable.<Account>named(table)
        .column("id", Account::id)
        .column("owner", Account::owner)
        .column("cents", Account::cents);
  }
}
