package io.millrace.connector.jdbc;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.transaction.xa.Xid;

/**
 * The name of a transaction of a sink in the database.
 *
 * @param prefix the name that the program gives to the sink
 * @param subtask the writer that began the transaction
 * @param run an id of that writer, which no other writer has
 * @param number the number of the transaction among those of the writer
 */
record TransactionXid(String prefix, int subtask, String run, long number) implements Xid {
  /** "MLRC", which tells transactions of Millrace from others. */
  private static final int FORMAT = 0x4d4c5243;

  private static final byte[] BRANCH = {1};
  private static final Pattern NAME = Pattern.compile("([^:]+):(\\d+):([0-9a-f]+):(\\d+)");

  /** A transaction that the database has listed; empty if it is not one of a sink. */
  static Optional<TransactionXid> of(Xid listed) {
    if (listed.getFormatId() != FORMAT) {
      return Optional.empty();
    }
    Matcher name =
        NAME.matcher(new String(listed.getGlobalTransactionId(), StandardCharsets.US_ASCII));
    return name.matches()
        ? Optional.of(
            new TransactionXid(
                name.group(1),
                Integer.parseInt(name.group(2)),
                name.group(3),
                Long.parseLong(name.group(4))))
        : Optional.empty();
  }

  @Override
  public int getFormatId() {
    return FORMAT;
  }

  @Override
  public byte[] getGlobalTransactionId() {
    return toString().getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public byte[] getBranchQualifier() {
    return BRANCH.clone();
  }

  @Override
  public String toString() {
    return prefix + ":" + subtask + ":" + run + ":" + number;
  }
}
