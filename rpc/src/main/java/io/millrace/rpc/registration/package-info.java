/**
 * Registering at a leader with patience: {@link io.millrace.rpc.registration.RetryingRegistration}.
 */
package io.millrace.rpc.registration;
