package io.millrace.core.security;

import io.millrace.core.Bytes;
import java.io.IOException;

/**
 * Takes the tokens of one service in every process: puts them where the clients of that service
 * look. Found by {@link java.util.ServiceLoader}.
 */
public interface DelegationTokenReceiver {
  /** The same as that of the provider. */
  String serviceName();

  /**
   * Takes a token in place of the one before; returns when clients use it. Called before the first
   * task is deployed here and after every renewal, one call after the other, and now and then with
   * a token that it has already. What it throws is logged, so that its message must not have the
   * token in it.
   */
  void received(Bytes token) throws IOException;
}
