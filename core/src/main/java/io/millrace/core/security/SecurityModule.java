package io.millrace.core.security;

import java.io.IOException;

/**
 * Knows how to log in. Found by {@link java.util.ServiceLoader} in plugins and on the class path,
 * and asked only when the configuration names a keytab.
 */
public interface SecurityModule {
  /** Logs in and returns the context in which the process runs from then on. */
  SecurityContext login(KerberosLogin login) throws IOException;
}
