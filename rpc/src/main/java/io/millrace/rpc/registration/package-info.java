/** Registering at a leader with patience: {@link io.millrace.rpc.registration.Registration}. */
package io.millrace.rpc.registration;
