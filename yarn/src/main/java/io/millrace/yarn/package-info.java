/**
 * Clusters on Hadoop YARN. Package {@code client} stages files and submits applications, {@code
 * master} is the JobManager as YARN's ApplicationMaster with the driver that asks YARN for
 * TaskManagers, and {@code launch} is what both agree on.
 */
package io.millrace.yarn;
