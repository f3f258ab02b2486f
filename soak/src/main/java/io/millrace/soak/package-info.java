/**
 * Runs a job with state on a cluster of processes, disturbs it from a seed, and verifies that each
 * record had its effect exactly once. {@link io.millrace.soak.Soak} is the main class of {@code
 * tools/soak}; the driver and the verification use the distribution as a user does and none of its
 * code.
 */
package io.millrace.soak;
