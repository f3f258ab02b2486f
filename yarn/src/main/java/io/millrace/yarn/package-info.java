/**
 * Clusters on Hadoop YARN. Package {@code client} stages files and submits applications, {@code
 * master} is the JobManager as YARN's ApplicationMaster with the driver that asks YARN for
 * TaskManagers, {@code worker} is the main class of those, and {@code launch} is what they agree
 * on.
 */
package io.millrace.yarn;
