package io.millrace.examples;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.Sink;
import io.millrace.api.source.GeneratorSource;
import io.millrace.connector.jdbc.JdbcDatabase;
import io.millrace.connector.jdbc.JdbcSink;
import io.millrace.connector.jdbc.JdbcTable;
import io.millrace.connector.jdbc.JdbcTransactionSink;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a table of accounts in a database up to date, from the changes of another one. A change is
 * a line {@code put<TAB>ID<TAB>OWNER<TAB>CENTS} or {@code delete<TAB>ID}; the last change of an
 * account counts. The table is created with {@code CREATE TABLE accounts (id BIGINT PRIMARY KEY,
 * owner TEXT, cents BIGINT)}.
 *
 * <p>{@code --url} is the database, with {@code --user} and {@code --password-file}; {@code
 * --table} is another table. Changes come from {@code --input FILE}, or are bundled. With {@code
 * --rate N} they are generated, N per second and {@code --count N} in all (else until the job is
 * stopped): change {@code i} belongs to account {@code i % 100}, and deletes it if {@code i % 10}
 * is 7. {@code --exactly-once NAME} writes with two-phase commits, under this name in the database.
 */
public final class AccountChanges {
  private static final int ACCOUNTS = 100;

  private AccountChanges() {}

  /**
   * A change of an account.
   *
   * @param owner empty if the account is deleted
   */
  record Change(long id, Optional<String> owner, long cents) implements Serializable {
    private static final long serialVersionUID = 1L;

    static Change parse(String line) {
      String[] fields = line.split("\t", -1);
      try {
        if (fields.length == 4 && fields[0].equals("put")) {
          return new Change(
              Long.parseLong(fields[1]), Optional.of(fields[2]), Long.parseLong(fields[3]));
        }
        if (fields.length == 2 && fields[0].equals("delete")) {
          return new Change(Long.parseLong(fields[1]), Optional.empty(), 0);
        }
      } catch (NumberFormatException e) {
        throw invalidLine(line, e);
      }
      throw invalidLine(line, null);
    }

    private static MillraceException invalidLine(String line, Throwable cause) {
      return new MillraceException(
          ErrorKind.USER,
          "A line must be put<TAB>ID<TAB>OWNER<TAB>CENTS or delete<TAB>ID, but is '" + line + "'.",
          cause);
    }
  }

  public static void main(String[] args) {
    Arguments arguments =
        Arguments.parse(
            args,
            List.of(
                "--url",
                "--user",
                "--password-file",
                "--table",
                "--input",
                "--rate",
                "--count",
                "--exactly-once"),
            List.of());
    StreamEnvironment env = StreamEnvironment.current();
    lines(env, arguments)
        .map(Change::parse)
        .name("change")
        // The changes of an account stay in their order.
        .parallelism(1)
        .keyBy(Change::id)
        .map(change -> change)
        .name("by account")
        .sinkTo(sink(arguments))
        .name("accounts");
    env.execute("account changes");
  }

  private static DataStream<String> lines(StreamEnvironment env, Arguments arguments) {
    if (arguments.find("--rate").isEmpty()) {
      DataStream<String> read =
          arguments.find("--input").isPresent()
              ? env.readText(arguments.find("--input").get())
              : env.fromCollection(Timed.bundledLines("account-changes.txt"));
      return read.name("changes").parallelism(1);
    }
    GeneratorSource<String> endless = GeneratorSource.of(AccountChanges::line);
    return env.generate(
            (arguments.find("--count").isPresent()
                    ? endless.count(arguments.positive("--count", 1))
                    : endless)
                .perSecond((double) arguments.positive("--rate", 1)))
        .name("changes")
        .uid("changes")
        .parallelism(1);
  }

  private static String line(long index) {
    long account = index % ACCOUNTS;
    return index % 10 == 7
        ? "delete\t" + account
        : "put\t" + account + "\towner " + account + "\t" + index;
  }

  private static Sink<Change> sink(Arguments arguments) {
    JdbcDatabase database =
        JdbcDatabase.at(
            arguments
                .find("--url")
                .orElseThrow(
                    () ->
                        new MillraceException(
                            ErrorKind.USER,
                            "Name the database, as in --url jdbc:postgresql://host/name.")));
    if (arguments.find("--user").isPresent()) {
      database = database.user(arguments.find("--user").get());
    }
    if (arguments.find("--password-file").isPresent()) {
      database = database.passwordFile(arguments.find("--password-file").get());
    }
    JdbcTable<Change> table =
        JdbcTable.named(arguments.find("--table").orElse("accounts"), Change.class)
            .key("id", Change::id)
            .column("owner", change -> change.owner().orElse(null))
            .column("cents", Change::cents)
            .deleteWhen(change -> change.owner().isEmpty());
    Optional<String> name = arguments.find("--exactly-once");
    return name.isPresent()
        ? JdbcTransactionSink.to(database, table, name.get())
        : JdbcSink.to(database, table);
  }
}
