package io.millrace.fs.hadoop;

import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.KerberosLogin;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * What failures of Kerberos mean, and what to do about them. The libraries tell them apart by words
 * only.
 */
public final class KerberosErrors {
  private static final String SERVERS =
      "the file krb5.conf of this machine, or the one that "
          + SecurityOptions.KERBEROS_CONFIGURATION.key()
          + " names";

  private KerberosErrors() {}

  /** That somebody could not log in. */
  static MillraceException loginFailure(KerberosLogin login, Throwable failure) {
    Optional<String> servers = describeKdcFailure(failure);
    return new MillraceException(
        servers.isPresent() ? ErrorKind.EXTERNAL : ErrorKind.USER,
        "The Kerberos login of "
            + login.principal()
            + " with keytab "
            + login.keytab()
            + " failed: "
            + servers.orElseGet(() -> describeKeytabFailure(login, failure))
            + ".",
        failure);
  }

  private static String describeKeytabFailure(KerberosLogin login, Throwable failure) {
    String message = message(failure);
    if (has(message, "Unable to obtain password")) {
      return "the keytab has no key of that principal; `klist -kt "
          + login.keytab()
          + "` lists those it has";
    }
    if (has(message, "Client not found in Kerberos database")) {
      return "Kerberos does not know that principal; it is misspelt, or of another realm";
    }
    if (has(
        message, "Pre-authentication information was invalid", "Checksum failed", "Integrity")) {
      return "the key in the keytab is not the one that Kerberos has, such as after a change of the"
          + " password; have the keytab exported anew";
    }
    return Failure.sentence(failure).lines().findFirst().orElse("");
  }

  /** What Kerberos had to do with it that a service could not be used; a sentence with advice. */
  public static Optional<String> describeServiceFailure(Throwable failure) {
    String message = message(failure);
    if (has(message, "Server not found in Kerberos database")) {
      return Optional.of(
          "Kerberos does not know the service's principal. Check that HADOOP_CONF_DIR has the"
              + " configuration of this cluster, where it is written.");
    }
    if (has(message, "Failed to specify server's Kerberos principal name")) {
      return Optional.of(
          "Hadoop's configuration does not say which principal the service has. Check that"
              + " HADOOP_CONF_DIR has the configuration of this cluster.");
    }
    if (has(message, "GSSException", "GSS initiate failed")) {
      Optional<String> servers = describeKdcFailure(failure);
      if (servers.isPresent()) {
        return servers.map(why -> Character.toUpperCase(why.charAt(0)) + why.substring(1) + ".");
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

  /** Of its servers rather than of somebody who asks them. */
  private static Optional<String> describeKdcFailure(Throwable failure) {
    String message = message(failure);
    if (has(message, "Clock skew too great")) {
      return Optional.of(
          "the clocks of this machine and of the Kerberos server differ by minutes; set them by"
              + " the same source");
    }
    if (has(
        message,
        "Can't get Kerberos realm",
        "Cannot locate default realm",
        "Cannot locate KDC",
        "Cannot find KDC",
        "Unable to locate KDC",
        "KrbException: Cannot locate")) {
      return Optional.of(
          "where the Kerberos server of the realm is, is not known; it stands in " + SERVERS);
    }
    if (isOfNetwork(failure) || has(message, "Receive timed out", "Connection refused")) {
      return Optional.of(
          "the Kerberos server cannot be reached ("
              + last(failure)
              + "); check that it runs where it should by "
              + SERVERS);
    }
    return Optional.empty();
  }

  private static boolean isOfNetwork(Throwable failure) {
    for (Throwable one = failure; one != null; one = one.getCause()) {
      if (one instanceof SocketException
          || one instanceof SocketTimeoutException
          || one instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }

  private static String last(Throwable failure) {
    Throwable one = failure;
    while (one.getCause() != null) {
      one = one.getCause();
    }
    return Failure.sentence(one).lines().findFirst().orElse("");
  }

  private static String message(Throwable failure) {
    StringBuilder message = new StringBuilder();
    for (Throwable one = failure; one != null; one = one.getCause()) {
      message.append(one).append('\n');
    }
    return message.toString();
  }

  private static boolean has(String message, String... words) {
    for (String word : words) {
      if (message.contains(word)) {
        return true;
      }
    }
    return false;
  }
}
