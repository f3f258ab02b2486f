package io.millrace.core.security;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.plugin.Plugins;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** The identity under which a process acts. It is renewed until it is closed. */
public interface SecurityContext extends AutoCloseable {
  /** Runs an action under this identity; threads that it starts inherit the identity. */
  <T> T call(Callable<T> action) throws Exception;

  /** Ends the login. No action may run inside afterwards. */
  @Override
  void close() throws IOException;

  /** The identity, for messages. */
  String description();

  /** The configured context; without a keytab it has no login. */
  static SecurityContext of(Configuration configuration, Plugins plugins) {
    KerberosConfiguration.use(configuration);
    Optional<KerberosLogin> login = KerberosLogin.in(configuration);
    List<String> contexts = configuration.get(SecurityOptions.KERBEROS_CONTEXTS);
    if (!contexts.isEmpty()) {
      JaasConfiguration.install(
          contexts, login, configuration.get(SecurityOptions.KERBEROS_TICKET_CACHE));
    }
    return login.isPresent()
        ? login.get().through(plugins, configuration)
        : new ProcessUserContext("no login");
  }
}
