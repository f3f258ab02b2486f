package io.millrace.core.security;

import io.millrace.core.Bytes;
import java.io.IOException;

/**
 * Installs the tokens of one service in every process, where the clients of the service look them
 * up. Found by {@link java.util.ServiceLoader}.
 */
public interface DelegationTokenReceiver {
  /** The same name as that of the provider. */
  String serviceName();

  /**
   * Replaces the previous token; returns when clients use the new one. Called before the first task
   * is deployed and after every renewal, never concurrently, and possibly with the current token.
   * Exceptions are logged, so messages must not contain the token.
   */
  void received(Bytes token) throws IOException;
}
