package io.millrace.core.security;

import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * Explains failures of a login to Kerberos and what to do about them. The libraries distinguish
 * them only by their messages.
 */
public final class KerberosLoginErrors {
  private static final String KRB5_CONF =
      "the file krb5.conf of this machine, or the one that "
          + SecurityOptions.KERBEROS_CONFIGURATION.key()
          + " names";

  private KerberosLoginErrors() {}

  /** The error of a failed login. */
  public static MillraceException loginFailure(KerberosLogin login, Throwable failure) {
    Optional<String> kdcFailure = describeKdcFailure(failure);
    return new MillraceException(
        kdcFailure.isPresent() ? ErrorKind.EXTERNAL : ErrorKind.USER,
        "The Kerberos login of "
            + login.principal()
            + " with keytab "
            + login.keytab()
            + " failed: "
            + kdcFailure.orElseGet(() -> describeKeytabFailure(login, failure))
            + ".",
        failure);
  }

  private static String describeKeytabFailure(KerberosLogin login, Throwable failure) {
    if (mentions(failure, "Unable to obtain password")) {
      return "the keytab has no key of that principal; `klist -kt "
          + login.keytab()
          + "` lists those it has";
    }
    if (mentions(failure, "Client not found in Kerberos database")) {
      return "Kerberos does not know that principal; check its spelling and its realm";
    }
    if (mentions(
        failure, "Pre-authentication information was invalid", "Checksum failed", "Integrity")) {
      return "the key in the keytab is not the one of Kerberos, for example after a change of the"
          + " password; export the keytab again";
    }
    return Failure.sentence(failure).lines().findFirst().orElse("");
  }

  /** Failures of the Kerberos server or of the connection to it. */
  public static Optional<String> describeKdcFailure(Throwable failure) {
    if (mentions(failure, "Clock skew too great")) {
      return Optional.of(
          "the clocks of this machine and of the Kerberos server differ by minutes; synchronise"
              + " them");
    }
    if (mentions(
        failure,
        "Can't get Kerberos realm",
        "Cannot locate default realm",
        "Cannot locate KDC",
        "Cannot find KDC",
        "Unable to locate KDC",
        "KrbException: Cannot locate")) {
      return Optional.of(
          "the address of the Kerberos server of the realm is not known; set it in " + KRB5_CONF);
    }
    if (isNetworkFailure(failure) || mentions(failure, "Receive timed out", "Connection refused")) {
      return Optional.of(
          "the Kerberos server cannot be reached ("
              + rootCause(failure)
              + "); check that it runs at the address in "
              + KRB5_CONF);
    }
    return Optional.empty();
  }

  private static boolean isNetworkFailure(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketException
          || cause instanceof SocketTimeoutException
          || cause instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }

  private static String rootCause(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return Failure.sentence(cause).lines().findFirst().orElse("");
  }

  /** Whether one of the texts is in the message of a failure or of its causes. */
  public static boolean mentions(Throwable failure, String... texts) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      for (String text : texts) {
        if (cause.toString().contains(text)) {
          return true;
        }
      }
    }
    return false;
  }
}
