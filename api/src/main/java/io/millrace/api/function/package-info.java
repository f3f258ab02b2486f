/**
 * Functions of user programs that depend on their arguments alone. All are serialisable: the client
 * sends them to the TaskManagers, which open them in the job's class loader. Functions with timers,
 * state or a lifecycle are in {@code process}.
 */
package io.millrace.api.function;
