package io.millrace.core.security;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The file that tells a process where Kerberos's servers are. */
public final class KerberosConfiguration {
  /** By which Java knows it; without it, the machine's own file counts. */
  public static final String PROPERTY = "java.security.krb5.conf";

  private KerberosConfiguration() {}

  /** The file that a configuration names, if it does. */
  public static Optional<Path> file(Configuration configuration) {
    Optional<Path> named =
        configuration
            .find(SecurityOptions.KERBEROS_CONFIGURATION)
            .filter(value -> !value.isBlank())
            .map(Path::of);
    if (named.isPresent() && !Files.isReadable(named.get())) {
      throw new MillraceException(
          ErrorKind.USER,
          "The file "
              + named.get()
              + " ("
              + SecurityOptions.KERBEROS_CONFIGURATION.key()
              + ") "
              + (Files.exists(named.get()) ? "may not be read by this user." : "does not exist."));
    }
    return named;
  }

  /** Has this process look there; to be called before it does anything with Kerberos. */
  public static void use(Configuration configuration) {
    file(configuration).ifPresent(file -> System.setProperty(PROPERTY, file.toString()));
  }
}
