package io.millrace.core.security;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.ClassPathServices;
import io.millrace.core.plugin.DiscoveredService;
import io.millrace.core.plugin.Plugins;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The Kerberos principal of a process and its keytab. */
public record KerberosLogin(Path keytab, String principal) {
  private static final String BOTH =
      SecurityOptions.KERBEROS_KEYTAB.key() + " and " + SecurityOptions.KERBEROS_PRINCIPAL.key();

  public KerberosLogin {
    Objects.requireNonNull(keytab);
    Objects.requireNonNull(principal);
  }

  /** The configured login; empty if there is none. */
  public static Optional<KerberosLogin> in(Configuration configuration) {
    Optional<String> keytab = set(configuration, SecurityOptions.KERBEROS_KEYTAB);
    Optional<String> principal = set(configuration, SecurityOptions.KERBEROS_PRINCIPAL);
    if (keytab.isEmpty() && principal.isEmpty()) {
      return Optional.empty();
    }
    if (keytab.isEmpty() || principal.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "A Kerberos login needs both "
              + BOTH
              + ", but only "
              + (keytab.isEmpty()
                      ? SecurityOptions.KERBEROS_PRINCIPAL
                      : SecurityOptions.KERBEROS_KEYTAB)
                  .key()
              + " is set. Set the other one, too, or neither.");
    }
    Path file = Path.of(keytab.get());
    if (!Files.isReadable(file)) {
      throw new MillraceException(
          ErrorKind.USER,
          "The keytab "
              + file
              + " ("
              + SecurityOptions.KERBEROS_KEYTAB.key()
              + ") "
              + (Files.exists(file) ? "cannot be read by this user." : "does not exist."));
    }
    return Optional.of(new KerberosLogin(file, principal.get()));
  }

  /** An empty value counts as not set. */
  private static Optional<String> set(Configuration configuration, Option<String> option) {
    Optional<String> value = configuration.find(option);
    return value.isPresent() && value.get().isBlank() ? Optional.empty() : value;
  }

  /** Logs in through the plugins, also for the configured login contexts. */
  SecurityContext through(Plugins plugins, Configuration configuration) {
    List<String> contexts = configuration.get(SecurityOptions.KERBEROS_CONTEXTS);
    List<DiscoveredService<SecurityModule>> modules =
        new ArrayList<>(plugins.services(SecurityModule.class));
    modules.addAll(ClassPathServices.services(SecurityModule.class));
    if (!contexts.isEmpty()) {
      modules.removeIf(module -> !module.instance().isRequired(configuration));
      if (modules.isEmpty()) {
        return new ProcessUserContext(principal + " by Kerberos in login contexts " + contexts);
      }
    }
    if (modules.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          BOTH
              + " require a Kerberos login, but no installed plugin can log in. "
              + plugins.howToAdd(SecurityModule.class.getName()));
    }
    if (modules.size() > 1) {
      throw new MillraceException(
          ErrorKind.USER,
          "Both "
              + modules.get(0).origin()
              + " and "
              + modules.get(1).origin()
              + " can log in to Kerberos. Remove one of them.");
    }
    try {
      return modules.get(0).instance().login(this, configuration);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The Kerberos login of "
              + principal
              + " with keytab "
              + keytab
              + " through "
              + modules.get(0).origin()
              + " failed: "
              + Failure.sentence(e)
              + ". Check "
              + BOTH
              + " and that the Kerberos server is reachable.",
          e);
    }
  }
}
