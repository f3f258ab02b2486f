package io.millrace.core.security;

import io.millrace.core.config.Configuration;
import java.io.IOException;

/**
 * Logs in. Found by {@link java.util.ServiceLoader} in plugins and on the class path, and used only
 * if a keytab is configured.
 */
public interface SecurityModule {
  /**
   * Logs in and returns the context in which the process runs from then on.
   *
   * @param configuration the options of the process
   */
  SecurityContext login(KerberosLogin login, Configuration configuration) throws IOException;

  /**
   * Whether the system that this module logs in to requires Kerberos. If it does not, and the
   * keytab is configured for login contexts, the module is not used.
   */
  default boolean isRequired(Configuration configuration) {
    return true;
  }
}
