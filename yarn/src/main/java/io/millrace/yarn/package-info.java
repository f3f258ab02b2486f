/**
 * Clusters on Hadoop YARN. Package {@code client} stages files and submits applications, {@code
 * master} has the JobManager as YARN's ApplicationMaster and the driver that starts TaskManagers,
 * {@code worker} has the main class of TaskManagers, and {@code launch} has their contract.
 */
package io.millrace.yarn;
