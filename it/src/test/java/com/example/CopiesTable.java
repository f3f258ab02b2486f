package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.MapFunction;
import io.millrace.connector.jdbc.JdbcDatabase;
import io.millrace.connector.jdbc.JdbcSink;
import io.millrace.connector.jdbc.JdbcSource;
import io.millrace.connector.jdbc.JdbcTable;
import io.millrace.connector.jdbc.JdbcTransactionSink;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Copies the table {@code source} to {@code inserted} with two-phase commits and to {@code
 * upserted} with upserts: {@code URL GATE}. Slow until the file GATE exists.
 */
public final class CopiesTable {
  private CopiesTable() {}

  /** A row. */
  record Row(long id, String name) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  public static void main(String[] args) {
    JdbcDatabase database = JdbcDatabase.at(args[0]).user("postgres");
    StreamEnvironment env = StreamEnvironment.current();
    var rows =
        env.fromSource(
                JdbcSource.table(
                    database,
                    "source",
                    "id",
                    row -> new Row(row.getLong("id"), row.getString("name"))),
                "source")
            .uid("source")
            .map(new SlowUntil(args[1]))
            .name("slow");
    rows.sinkTo(
            JdbcTransactionSink.to(
                database,
                JdbcTable.<Row>named("inserted").column("id", Row::id).column("name", Row::name),
                "copies-table"))
        .name("inserted")
        .uid("inserted");
    rows.keyBy(Row::id)
        .map(row -> row)
        .sinkTo(
            JdbcSink.to(
                database,
                JdbcTable.<Row>named("upserted").key("id", Row::id).column("name", Row::name)))
        .name("upserted")
        .uid("upserted");
    env.execute("copies table");
  }

  private static final class SlowUntil implements MapFunction<Row, Row> {
    private static final long serialVersionUID = 1L;

    private final String gate;

    SlowUntil(String gate) {
      this.gate = gate;
    }

    @Override
    public Row map(Row row) throws InterruptedException {
      if (!Files.exists(Path.of(gate))) {
        Thread.sleep(2);
      }
      return row;
    }
  }
}
