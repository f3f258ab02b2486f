package io.millrace.core.security;

import io.millrace.core.config.Configuration;
import java.io.IOException;
import java.util.Optional;

/**
 * Obtains tokens of one service. Found by {@link java.util.ServiceLoader}. Called only in the
 * process of the leading ResourceManager, inside the security context.
 */
public interface DelegationTokenProvider {
  /**
   * The name of the service in options and messages: a single word without dots, the same as that
   * of its {@link DelegationTokenReceiver}.
   */
  String serviceName();

  /**
   * Obtains a new token, at first and at each renewal. May block. Exceptions are logged, so
   * messages must not contain the token.
   *
   * @return empty if the service needs no token in this cluster
   */
  Optional<DelegationToken> obtain(Configuration configuration) throws IOException;
}
