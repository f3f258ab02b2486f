package io.millrace.fs.hadoop;

import static io.millrace.core.security.KerberosLoginErrors.describeKdcFailure;
import static io.millrace.core.security.KerberosLoginErrors.mentions;

import io.millrace.core.config.SecurityOptions;
import java.util.Optional;

/**
 * Explains why services cannot be used because of Kerberos, and what to do about it. The libraries
 * distinguish the reasons only by their messages.
 */
public final class KerberosServiceErrors {
  private KerberosServiceErrors() {}

  /** Why a service could not be used because of Kerberos, as a sentence with advice. */
  public static Optional<String> describeServiceFailure(Throwable failure) {
    if (mentions(failure, "Server not found in Kerberos database")) {
      return Optional.of(
          "Kerberos does not know the principal of the service. Check that HADOOP_CONF_DIR has the"
              + " configuration of this cluster, which contains it.");
    }
    if (mentions(failure, "Failed to specify server's Kerberos principal name")) {
      return Optional.of(
          "The configuration of Hadoop does not contain the principal of the service. Check that"
              + " HADOOP_CONF_DIR has the configuration of this cluster.");
    }
    if (mentions(failure, "GSSException", "GSS initiate failed")) {
      Optional<String> kdcFailure = describeKdcFailure(failure);
      if (kdcFailure.isPresent()) {
        return kdcFailure.map(why -> Character.toUpperCase(why.charAt(0)) + why.substring(1) + ".");
      }
    }
    if (mentions(
        failure,
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
}
