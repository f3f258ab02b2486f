/**
 * A small cluster for tests of jobs: {@link io.millrace.control.testing.SmallCluster}, graphs, and
 * fake TaskManagers and ResourceManagers.
 */
package io.millrace.control.testing;
