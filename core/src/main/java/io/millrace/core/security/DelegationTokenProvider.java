package io.millrace.core.security;

import io.millrace.core.config.Configuration;
import java.io.IOException;
import java.util.Optional;

/**
 * Gets tokens of one service. Found by {@link java.util.ServiceLoader}, and asked in the process of
 * the leading ResourceManager only, inside the security context.
 */
public interface DelegationTokenProvider {
  /**
   * Names the service in options and messages; one word without dots, which its {@link
   * DelegationTokenReceiver} has, too.
   */
  String serviceName();

  /**
   * Gets a fresh token, the first time and whenever the one before has to be replaced. May block.
   * What it throws is logged, so that its message must not have the token in it.
   *
   * @return empty where the service asks for no token in this cluster
   */
  Optional<DelegationToken> obtain(Configuration configuration) throws IOException;
}
