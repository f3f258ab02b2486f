package io.millrace.rpc.registration;

import java.util.Optional;

/**
 * The reply to a registration, which the messages of all components with followers implement.
 *
 * @param <S> what a successful registration returns
 * @param <R> why a registration is refused or rejected
 */
public interface RegistrationReply<S extends Record, R> {
  RegistrationStatus verdict();

  /** Present unless the registration is accepted. */
  Optional<R> reason();

  /** Present if the registration is accepted. */
  Optional<S> success();
}
