/**
 * A world small enough for tests of jobs: {@link io.millrace.control.testing.SmallCluster}, graphs,
 * and processes that play TaskManagers and ResourceManagers.
 */
package io.millrace.control.testing;
