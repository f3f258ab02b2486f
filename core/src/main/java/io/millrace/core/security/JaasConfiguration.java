package io.millrace.core.security;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;

/**
 * The login contexts of the JVM: those that get the credentials of the process, and those that were
 * configured before.
 */
final class JaasConfiguration extends Configuration {
  private static final String KERBEROS = "com.sun.security.auth.module.Krb5LoginModule";

  private final List<String> contexts;
  private final AppConfigurationEntry entry;
  private final Optional<Configuration> others;

  private JaasConfiguration(
      List<String> contexts, AppConfigurationEntry entry, Optional<Configuration> others) {
    this.contexts = List.copyOf(contexts);
    this.entry = entry;
    this.others = others;
  }

  /**
   * Without a keytab the contexts use the ticket cache, if allowed; otherwise nothing is changed.
   */
  static void install(List<String> contexts, Optional<KerberosLogin> login, boolean ticketCache) {
    if (login.isEmpty() && !ticketCache) {
      return;
    }
    Map<String, String> options =
        login
            .map(
                with ->
                    Map.of(
                        "useKeyTab", "true",
                        "keyTab", with.keytab().toAbsolutePath().toString(),
                        "principal", with.principal(),
                        "storeKey", "true",
                        "doNotPrompt", "true",
                        "refreshKrb5Config", "true"))
            .orElseGet(
                () -> Map.of("useTicketCache", "true", "renewTGT", "true", "doNotPrompt", "true"));
    setConfiguration(
        new JaasConfiguration(
            contexts,
            new AppConfigurationEntry(KERBEROS, LoginModuleControlFlag.REQUIRED, options),
            installed()));
  }

  private static Optional<Configuration> installed() {
    try {
      return Optional.of(getConfiguration());
    } catch (SecurityException none) {
      // The JVM has no configuration file, which is the usual case.
      return Optional.empty();
    }
  }

  @Override
  @SuppressWarnings("ReturnsNullCollection") // Says that there is no such context.
  public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
    if (contexts.contains(name)) {
      return new AppConfigurationEntry[] {entry};
    }
    return others.map(configured -> configured.getAppConfigurationEntry(name)).orElse(null);
  }
}
