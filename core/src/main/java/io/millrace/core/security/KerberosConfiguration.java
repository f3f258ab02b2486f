package io.millrace.core.security;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The Kerberos configuration file of a process. */
public final class KerberosConfiguration {
  /** The system property of the JVM; by default the machine's file is used. */
  public static final String PROPERTY = "java.security.krb5.conf";

  private KerberosConfiguration() {}

  /** The configured file; empty if there is none. */
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
              + (Files.exists(named.get()) ? "cannot be read by this user." : "does not exist."));
    }
    return named;
  }

  /** Sets the file for this JVM. Must be called before the first use of Kerberos. */
  public static void use(Configuration configuration) {
    file(configuration).ifPresent(file -> System.setProperty(PROPERTY, file.toString()));
  }
}
