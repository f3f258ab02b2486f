package io.millrace.fs.hadoop;

import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.KerberosLogin;
import io.millrace.core.security.KerberosLoginErrors;
import java.util.Optional;

/**
 * Explains failures of Kerberos and what to do about them. The libraries distinguish them only by
 * their messages.
 */
public final class KerberosErrors {
  private KerberosErrors() {}

  /** The error of a failed login. */
  static MillraceException loginFailure(KerberosLogin login, Throwable failure) {
    return KerberosLoginErrors.loginFailure(login, failure);
  }

  /** Why a service could not be used because of Kerberos, as a sentence with advice. */
  public static Optional<String> describeServiceFailure(Throwable failure) {
    String message = message(failure);
    if (has(message, "Server not found in Kerberos database")) {
      return Optional.of(
          "Kerberos does not know the principal of the service. Check that HADOOP_CONF_DIR has the"
              + " configuration of this cluster, which contains it.");
    }
    if (has(message, "Failed to specify server's Kerberos principal name")) {
      return Optional.of(
          "The configuration of Hadoop does not contain the principal of the service. Check that"
              + " HADOOP_CONF_DIR has the configuration of this cluster.");
    }
    if (has(message, "GSSException", "GSS initiate failed")) {
      Optional<String> kdcFailure = KerberosLoginErrors.describeKdcFailure(failure);
      if (kdcFailure.isPresent()) {
        return kdcFailure.map(why -> Character.toUpperCase(why.charAt(0)) + why.substring(1) + ".");
      }
    }
    if (has(
        message,
        "Failed to find any Kerberos",
        "Ticket expired",
        "Client cannot authenticate via",
        "GSS initiate failed")) {
      return Optional.of(
          "There is no valid Kerberos ticket, or it has expired. Run kinit, or set "
              + SecurityOptions.KERBEROS_KEYTAB.key()
              + " and "
              + SecurityOptions.KERBEROS_PRINCIPAL.key()
              + ".");
    }
    return Optional.empty();
  }

  private static String message(Throwable failure) {
    StringBuilder message = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      message.append(cause).append('\n');
    }
    return message.toString();
  }

  private static boolean has(String message, String... texts) {
    for (String text : texts) {
      if (message.contains(text)) {
        return true;
      }
    }
    return false;
  }
}
