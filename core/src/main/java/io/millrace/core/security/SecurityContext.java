package io.millrace.core.security;

import io.millrace.core.config.Configuration;
import io.millrace.core.plugin.Plugins;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;

/** In whose name a process acts; kept fresh until it is closed. */
public interface SecurityContext extends AutoCloseable {
  /** Runs something in this name; threads that it starts act in this name, too. */
  <T> T call(Callable<T> action) throws Exception;

  /** Ends the login; nothing runs inside any more. */
  @Override
  void close() throws IOException;

  /** For a sentence: as whom the process acts. */
  String description();

  /** The context that the configuration asks for; without a keytab it has no login. */
  static SecurityContext of(Configuration configuration, Plugins plugins) {
    KerberosConfiguration.use(configuration);
    Optional<KerberosLogin> login = KerberosLogin.in(configuration);
    return login.isPresent() ? login.get().through(plugins) : new ProcessUserContext();
  }
}
