package io.millrace.connector.jdbc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.sql.SQLException;
import java.util.Map;
import javax.transaction.xa.XAException;

/** Makes messages of errors in two-phase commits, whose exceptions have only a number. */
final class XaErrors {
  private static final Map<Integer, String> NAMES =
      Map.of(
          XAException.XAER_RMERR, "XAER_RMERR",
          XAException.XAER_NOTA, "XAER_NOTA",
          XAException.XAER_INVAL, "XAER_INVAL",
          XAException.XAER_PROTO, "XAER_PROTO",
          XAException.XAER_RMFAIL, "XAER_RMFAIL",
          XAException.XAER_DUPID, "XAER_DUPID",
          XAException.XA_HEURRB, "XA_HEURRB",
          XAException.XA_HEURCOM, "XA_HEURCOM",
          XAException.XA_HEURMIX, "XA_HEURMIX",
          XAException.XA_HEURHAZ, "XA_HEURHAZ");

  private XaErrors() {}

  static MillraceException failed(String what, JdbcDatabase database, XAException thrown) {
    SqlSecrets secrets = database.secrets();
    String code = NAMES.getOrDefault(thrown.errorCode, "XA error " + thrown.errorCode);
    String detail =
        thrown.getCause() instanceof SQLException cause
            ? SqlErrors.sentence(cause, secrets)
            : secrets.redact(String.valueOf(thrown.getMessage()));
    return new MillraceException(
        ErrorKind.EXTERNAL,
        what + " failed at " + database + " with " + code + ": " + detail,
        thrown.getCause() instanceof SQLException cause
            ? SqlErrors.withoutSecrets(cause, secrets)
            : null);
  }
}
